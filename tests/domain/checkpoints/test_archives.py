"""The form of an archive: what is written is read again, whatever bytes a tag has, and nothing else is read."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devs_git.domain.checkpoints import archives
from devs_git.domain.checkpoints.archives import Entry
from devs_git.domain.ledger import ids
from devs_git.domain.ledger.history import Checkpoint, History, Task
from devs_git.values import replace

TAGS = st.integers(0, 3).map(lambda number: f"{number:x}" * 40)
NAMES = st.sampled_from(["task-1", "task-a..b", "task-tag", "task-9.0_x-y"])
REFS = st.one_of(
    st.builds(ids.checkpoint_ref, NAMES, st.integers(1, 999_999)), st.builds(ids.completed_tag, NAMES)
)


def entry(ref: str, tag: str) -> Entry:
    return Entry(ref, tag, tag[::-1].replace("0", "f"))


def two_of_each_tag(entries: list[Entry]) -> list[Entry]:
    """A tag has at most two refs: the numbered one and the visible one."""
    return [one for at, one in enumerate(entries) if [each.tag for each in entries[:at]].count(one.tag) < 2]


ENTRIES = st.lists(st.builds(entry, REFS, TAGS), unique=True).map(two_of_each_tag)


@pytest.mark.quick
@given(ENTRIES, st.dictionaries(TAGS, st.binary(max_size=40)))
def test_what_is_written_to_a_file_of_an_archive_is_read_again(
    entries: list[Entry], some: dict[str, bytes]
) -> None:
    tags = {one.tag: some.get(one.tag, b"\n") for one in entries}
    data = archives.write_file(entries, tags)
    assert set(archives.read_file(data)) == {(one, tags[one.tag]) for one in entries}


@pytest.mark.quick
@given(st.lists(st.builds(entry, REFS, TAGS)), st.lists(st.builds(entry, REFS, TAGS)))
def test_the_lists_of_commits_say_which_files_have_some_commits(
    some: list[Entry], others: list[Entry]
) -> None:
    lists = archives.write_lists((one.commit, one.file) for one in (*some, *others))
    assert tuple(lists) == archives.LISTS
    wanted = {one.commit for one in some}
    found = {
        commit: archives.files_at(lists[archives.list_of(commit)], wanted & {commit}) for commit in wanted
    }
    for commit in wanted:
        assert found[commit] == {one.file for one in (*some, *others) if one.commit == commit}
    assert archives.files_at(b"".join(lists.values()), wanted) == set().union(*found.values())


@given(st.binary(max_size=8), st.integers(0, 200))
def test_a_damaged_file_of_an_archive_is_read_up_to_the_damage_or_as_it_was(noise: bytes, at: int) -> None:
    entries = [entry(ids.checkpoint_ref("task-1", number), f"{number}" * 40) for number in (1, 2)]
    tags = {one.tag: b"x" * 9 for one in entries}
    whole = archives.write_file(entries, tags)
    data = whole[:at] + noise + whole[at + len(noise) :]
    found: list[tuple[Entry, bytes]] = []
    try:
        found.extend(archives.read_file(data))
    except ValueError:
        assert data != whole
    assert all(isinstance(one, Entry) and isinstance(tag, bytes) for one, tag in found)


@pytest.mark.parametrize(
    "line",
    [
        b"a 1 refs/devs/checkpoints/task-1/1\nx\n",
        b"%s %s 1 refs/heads/main\nx\n" % (b"a" * 40, b"b" * 40),
        b"%s %s 1 refs/devs/checkpoints/task-1/0\nx\n" % (b"a" * 40, b"b" * 40),
        b"%s %s 1 refs/tags/devs/other\nx\n" % (b"a" * 40, b"b" * 40),
        b"%s %s 2 refs/tags/devs/task-1\nx\n" % (b"a" * 40, b"b" * 40),
    ],
)
def test_a_file_that_names_another_ref_is_not_read(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"tag"):
        list(archives.read_file(line))


@pytest.mark.quick
def test_a_small_file_of_an_archive_does_not_unfold_to_endless_entries() -> None:
    """Equal lines, and many refs of one tag, compress well."""
    ref, tag = ids.checkpoint_ref("task-1", 1), "1" * 40
    once = archives.write_file([entry(ref, tag)], {tag: b"x"})
    read = archives.read_file(once * 9)
    assert next(read)[0].ref == ref
    with pytest.raises(ValueError, match="is there twice"):
        next(read)
    many = [entry(ids.checkpoint_ref("task-1", number), tag) for number in (1, 2, 3)]
    assert len(list(archives.read_file(archives.write_file(many[:2], {tag: b"x"})))) == 2
    with pytest.raises(ValueError, match="does not begin a tag"):
        next(archives.read_file(archives.write_file(many, {tag: b"x"})))


def point(task: str, number: int, **changes: Any) -> Checkpoint:
    tag = f"{(zlib.crc32(f'{task} {number}'.encode())):040x}"
    texts: Any = {"branch": "", "worktree": "", "message": "", "created_at": "2001", "event": ""}
    figures: Any = {"files_changed": 0, "lines_added": 0, "lines_removed": 0}
    made = Checkpoint(task, number, tag=tag, commit=tag, tree=tag, completed=False, **texts, **figures)
    return replace(made, **changes)


def history(points: list[Checkpoint], **statuses: str) -> History:
    tasks = {
        name.replace("_", "-"): Task(name.replace("_", "-"), status) for name, status in statuses.items()
    }
    return History("", tasks, {one.tag: one for one in points})


def test_only_refs_of_tasks_that_were_completed_before_the_time_are_archived() -> None:
    old = [point("task-1", 1), point("task-1", 2, completed=True, created_at="2001")]
    young = [point("task-2", 1, created_at="2001"), point("task-2", 2, completed=True, created_at="2003")]
    active = [point("task-3", 1)]
    again = [point("task-4", 1, completed=True, created_at="2001"), point("task-4", 2, created_at="2001")]
    undone = [point("task-5", 1, completed=True, live=False)]
    every = [*old, *young, *active, *again, *undone]
    refs = {ids.checkpoint_ref(one.task_id, one.number): one.tag for one in every}
    refs |= {ids.completed_tag("task-1"): old[1].tag, ids.completed_tag("task-2"): young[1].tag}
    statuses = {"task_1": "completed", "task_2": "completed", "task_3": "active", "task_4": "active"}
    found = history(every, **statuses, task_5="rewound")
    numbered = {ids.checkpoint_ref("task-1", number) for number in (1, 2)}
    assert {one.ref for one in archives.choose(found, refs, "2002", with_tags=False)} == numbered
    with_tags = {one.ref for one in archives.choose(found, refs, "2002", with_tags=True)}
    assert with_tags == {*numbered, ids.completed_tag("task-1")}


def test_a_ref_that_is_not_at_the_tag_of_the_ledger_is_not_archived() -> None:
    done = point("task-1", 1, completed=True)
    gone = point("task-1", 2, gone="an event")
    refs = {ids.checkpoint_ref("task-1", 1): "f" * 40, ids.checkpoint_ref("task-1", 2): gone.tag}
    refs[ids.completed_tag("task-1")] = "f" * 40
    assert archives.choose(history([done, gone], task_1="completed"), refs, "2002", with_tags=True) == ()
