"""The biomedical APIs of NCBI, UniProt and Ensembl: endpoints as data, calls checked first."""
