"""Question to SQL with no language model, on a CPU, the same answer every time.

The way through, by module:

    engine        one database made ready: keys, value index, profiles, weights
    linking       ties the question's words to tables, columns and values, with learned scores
    hints         what evidence and the glossary of a knowledge pack say outright
    shapes        likely sketches (query shapes with slots): a network, nearest questions, parts combined
    comparing     what the question compares: columns with values, numbers and dates
    filling       a sketch's slots filled with these, columns and tables by a beam over linking's scores
    candidates    both at once: fillings of likely sketches, with each likely join path; `edits` changes the
                  best a little, `vetting` leaves out what makes no sense
    examples      queries of solved questions, `exchanging` with this question's values; `ratios`:
                  percentages; `periods`: groups by the year or month of a date
    checking      the first candidates run, briefly
    ranking       orders candidates and says how sure the best is; `deciding` puts it all together
    method        the three steps that a Draft passes

`query` is the representation in between, without joins: `parsing` makes it of SQL, `omitting` leaves out the
joins that `joins` plans again, `rendering` writes SQL, `normal` and `sketches` make it comparable across
databases.
`training` learns the files in `weights` from Spider's training split (CC BY-SA 4.0).
"""
