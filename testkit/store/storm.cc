#include "testkit/store/storm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/strings.h"

namespace proa::testkit {

using store::Durability;
using store::EntryPtr;
using store::Event;
using store::Revision;

namespace storm {

std::string left_key(int64_t writer) { return "/storm/writer-" + std::to_string(writer) + "/left"; }
std::string right_key(int64_t writer) {
  return "/storm/writer-" + std::to_string(writer) + "/right";
}

int64_t number_of(const EntryPtr& entry) {
  return entry == nullptr ? 0 : parse_int(split_once(entry->value(), ' ')->before).value_or(-1);
}

std::string value_of(int64_t number, Random& random) {
  return std::to_string(number) + " " + std::string(20 + random.below(1500), 'x');
}

std::vector<Event> read_all(store::Watch& watch) {
  std::vector<Event> events;
  for (;;) {
    auto batch = watch.next(1000);
    EXPECT_TRUE(batch.ok()) << batch.status().message();
    if (!batch.ok() || batch->events.empty()) return events;
    events.insert(events.end(), batch->events.begin(), batch->events.end());
  }
}

}  // namespace storm

Storm::Storm(store::Store& store, int writers, int watchers, uint64_t seed, StormSink sink)
    : store_(store), sink_(std::move(sink)), begin_(store.revision().next()) {
  for (int i = 0; i < watchers; ++i) threads_.emplace_back([this, i] { watch(i); });
  for (int i = 0; i < writers; ++i) {
    threads_.emplace_back([this, i, seed] { write(i, seed + static_cast<uint64_t>(i)); });
  }
}

void Storm::stop() {
  stopping_.request_stop();
  threads_.clear();
}

void Storm::write(int writer, uint64_t seed) {
  SeededRandom random(seed);
  EntryPtr last = *store_.get(storm::left_key(writer));
  while (!stopping_.stop_requested()) {
    if (random.below(8) == 0) {
      store::Txn lazy;
      lazy.operations.push_back(store::Put{"/lazy/" + std::to_string(writer), Bytes("1 "), {}});
      if (!store_.commit(std::move(lazy), Durability::kLazy).ok()) return;
    }
    const int64_t number = storm::number_of(last) + 1;
    store::Txn txn;
    txn.compares.push_back(
        {storm::left_key(writer), last == nullptr ? Revision{} : last->mod_revision()});
    const Bytes value(storm::value_of(number, random));
    txn.operations.push_back(store::Put{storm::left_key(writer), value, {}});
    txn.operations.push_back(store::Put{storm::right_key(writer), value, {}});
    const auto result = store_.commit(std::move(txn), Durability::kSynced);
    if (!result.ok()) return;
    EXPECT_TRUE(result->succeeded) << "nobody else writes here";
    last = result->entries.at(0);
    sink_({StormNote::kAcknowledged, writer, number, result->revision.value});
  }
}

void Storm::watch(int watcher) {
  const std::string prefix = watcher % 2 == 0 ? "/" : "/storm/";
  auto watch = store_.watch({.prefix = prefix, .from = begin_, .wake = {}});
  if (!watch.ok()) return;
  while (!stopping_.stop_requested()) {
    const auto batch = (*watch)->next(100);
    if (!batch.ok()) return;
    for (const Event& event : batch->events) {
      sink_({StormNote::kSeen, watcher, event.entry->index(), event.entry->mod_revision().value});
    }
    sink_({StormNote::kProgress, watcher, 0, batch->progress.value});
    if (batch->events.empty()) (*watch)->wait({.stop = stopping_.get_token()});
  }
}

void StormVerifier::note(const StormNote& note) {
  MutexLock lock(mutex_);
  highest_ = std::max(highest_, note.revision);
  if (note.kind == StormNote::kAcknowledged) acknowledged_.push_back(note);
  if (note.kind == StormNote::kSeen)
    seen_[note.who].places.emplace_back(note.revision, note.number);
  if (note.kind == StormNote::kProgress) seen_[note.who].progress = note.revision;
}

void StormVerifier::verify(store::Store& store) {
  MutexLock lock(mutex_);
  EXPECT_GE(store.revision().value, highest_) << "revisions went back";
  verify_history(store);
  verify_watchers(store);
  verify_state(store);
  total_acknowledged_ += acknowledged_.size();
  acknowledged_.clear();
  seen_.clear();
  verified_ = store.revision();
  highest_ = std::max(highest_, verified_.value);
}

// Everything since the last crash, in order, with no number of a writer duplicated or missing.
void StormVerifier::verify_history(store::Store& store) {
  auto watch = store.watch({.prefix = "/", .from = verified_.next(), .wake = {}});
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  events_ = storm::read_all(**watch);
  std::map<std::pair<int64_t, std::string_view>, int64_t> written;
  Revision last = verified_;
  for (const Event& event : events_) {
    EXPECT_GE(event.entry->mod_revision(), last);
    last = event.entry->mod_revision();
    if (!event.entry->key().starts_with("/storm/")) continue;
    const int64_t number = storm::number_of(event.entry);
    EXPECT_EQ(number, ++counts_[std::string(event.entry->key())]) << event.entry->key();
    EXPECT_EQ(storm::number_of(event.previous), number - 1);
    EXPECT_EQ(event.is_create(), number == 1);
    written[{last.value, event.entry->key()}] = number;
  }
  for (const StormNote& note : acknowledged_) {
    for (const std::string& key : {storm::left_key(note.who), storm::right_key(note.who)}) {
      const auto found = written.find({note.revision, key});
      ASSERT_NE(found, written.end())
          << key << " " << note.number << " was acknowledged and is lost";
      EXPECT_EQ(found->second, note.number);
    }
  }
}

// What a watcher saw before the crash and what it sees when it resumes are all events, each once.
void StormVerifier::verify_watchers(store::Store& store) {
  for (const auto& [watcher, seen] : seen_) {
    const std::string prefix = watcher % 2 == 0 ? "/" : "/storm/";
    std::vector<std::pair<int64_t, int64_t>> expected;
    for (const Event& event : events_) {
      if (!event.entry->key().starts_with(prefix)) continue;
      expected.emplace_back(event.entry->mod_revision().value, event.entry->index());
    }
    const int64_t survived =
        events_.empty() ? verified_.value : events_.back().entry->mod_revision().value;
    // Only lazy writes may have been seen and lost, and those stand behind all that survived.
    const bool lost = seen.progress > survived;
    const int64_t from = std::max(seen.progress, verified_.value) + 1;
    auto places = seen.places;
    // What was told without the progress behind it may be a part of a commit.
    std::erase_if(places,
                  [&](const auto& place) { return place.first >= from || place.first > survived; });
    auto watch = store.watch({.prefix = prefix, .from = {from}, .wake = {}});
    if (!watch.ok()) {
      EXPECT_TRUE(watch.is(Reason::kExpired));
      EXPECT_TRUE(lost) << "watcher " << watcher << " could not resume from " << from;
      expected.resize(std::min(expected.size(), places.size()));
    } else {
      for (const Event& event : storm::read_all(**watch)) {
        places.emplace_back(event.entry->mod_revision().value, event.entry->index());
      }
    }
    EXPECT_EQ(places, expected) << "watcher " << watcher;
  }
}

void StormVerifier::verify_state(store::Store& store) {
  for (const auto& [key, number] : counts_) {
    const auto entry = store.get(key);
    EXPECT_EQ(storm::number_of(*entry), number) << key;
    const bool left = key.ends_with("/left");
    if (!left) continue;
    const std::string other = key.substr(0, key.size() - 4) + "right";
    EXPECT_EQ(counts_[other], number) << "a commit is half there";
  }
}

}  // namespace proa::testkit
