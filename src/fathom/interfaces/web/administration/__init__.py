"""Changes that the owner makes on pages: of the settings and the rights, in the files that hold them."""
