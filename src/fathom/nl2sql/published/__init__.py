"""The published methods, a module each: its own steps, and the `Method` with its published defaults."""
