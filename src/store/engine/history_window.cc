#include "store/engine/history_window.h"

#include <algorithm>

namespace proa::store {
namespace history_window {

// So few changes may be kept twice as long: an idle store then writes once per history window.
constexpr size_t kFewChanges = 1000;

}  // namespace history_window

Revision HistoryWindow::outdated(const Keyspace& keyspace, Steady now) {
  const std::deque<Event>& history = keyspace.history();
  if (is_aging(keyspace)) {
    const Revision current = keyspace.revision();
    const bool changed = ages_.empty() || ages_.back().second < current;
    const bool time_passed = ages_.empty() || now - ages_.back().first >= interval(keyspace);
    if (changed && time_passed) note(now, current);
    while (!ages_.empty() && now - ages_.front().first >= limits_.age) {
      outdated_ = std::max(outdated_, ages_.front().second);
      ages_.pop_front();
    }
  }
  if (history.size() > limits_.changes) {
    const size_t surplus = history.size() - limits_.changes;
    outdated_ = std::max(outdated_, history[surplus - 1].entry->mod_revision());
  }
  if (keyspace.history_bytes() > limits_.bytes) {
    size_t surplus = keyspace.history_bytes() - limits_.bytes;
    for (const Event& event : history) {
      const size_t bytes = event.previous == nullptr ? 0 : event.previous->footprint();
      outdated_ = std::max(outdated_, event.entry->mod_revision());
      if (bytes >= surplus) break;
      surplus -= bytes;
    }
  }
  return outdated_;
}

bool HistoryWindow::is_aging(const Keyspace& keyspace) const {
  return !ages_.empty() || !keyspace.history().empty();
}

Duration HistoryWindow::interval(const Keyspace& keyspace) const {
  return is_quiet(keyspace) ? limits_.age : limits_.age / 8;
}

bool HistoryWindow::is_quiet(const Keyspace& keyspace) {
  return keyspace.history().size() <= history_window::kFewChanges;
}

}  // namespace proa::store
