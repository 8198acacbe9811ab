"""Follow-ups as edits of the query of the answer before, with an account of every word.

"And in 2010?" means the last question with another year. What it edits is the query that answered that
question, so nothing else of it changes. Rules turn the follow-up's words into edits; those that account for
every content word together are made. Where a word is left over nothing is edited, and the word is named.
"""

from fathom.offline.followups.follow_up import FollowedUp, FollowUpStanding, edit_follow_up, follow, standing

__all__ = ["FollowUpStanding", "FollowedUp", "edit_follow_up", "follow", "standing"]
