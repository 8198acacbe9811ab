"""Question to SQL with no language model, on a CPU, the same answer every time.

The way through:

    engine        one database made ready: keys, value index, profiles, weights
    paraphrase    puts the question into words that the weights know, and that the database has for its things
    filters       cuts out what restricts in few words (`roles`: by two keys to one table)
    linking       ties the question's words to tables, columns and values, with learned scores
    hints         what evidence and the glossary of a knowledge pack say outright
    sketches      likely shapes of queries, with slots, and what fills these: columns, tables, comparisons
    proposals     both at once: fillings of likely sketches, with each likely join path
    examples      queries of solved questions of the same database, with this question's values
    grammars      queries by rule, for what training data hardly hold
    combined      comparisons, put together from plain questions
    ranking       orders candidates and says how sure the best is; `checks` speak against it
    verdict       which candidate it is; `pipeline` the whole question, `inner_questions` those within it
    finishing     completes what was chosen
    followups     edits the query of the question before it
    method        the three steps that a Draft passes

`rules` lists what reads by rule, room by room: each `rule` has a name, an example, and can be switched off.

`queries` hold the representation in between, without joins: read from SQL, written as SQL, joined over keys.
`training` learns the files in `weights` from Spider's training split (CC BY-SA 4.0).
"""
