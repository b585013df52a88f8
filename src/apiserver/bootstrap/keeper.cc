#include "apiserver/bootstrap/keeper.h"

#include <algorithm>

#include "base/log.h"

namespace proa::apiserver {
namespace keeper {

const Log kLog{"apiserver"};
constexpr size_t kEventsAtOnce = 64;
constexpr Duration kRetry = std::chrono::seconds(10);
constexpr Duration kQuickRetry = std::chrono::seconds(1);  // of what has its time
constexpr Duration kPerRestore = std::chrono::seconds(1);
constexpr int kBurst = 20;  // restores that need not wait

bool concerns(const store::Event& event, Kept::When when) {
  switch (when) {
    case Kept::When::kChanged:
      return true;
    case Kept::When::kDeleted:
      return event.entry->deleted();
    case Kept::When::kCreatedOrDeleted:
      return event.entry->deleted() || event.is_create();
  }
  return true;
}

}  // namespace keeper

Keeper::Keeper(store::Store& store, Clock& clock, std::vector<Kept> kept, store::Revision since)
    : store_(store), clock_(clock), since_(since) {
  for (Kept& one : kept) {
    Row& row = rows_.emplace_back();
    row.watches.resize(one.keys.size());
    if (one.every > Duration::zero()) row.next = clock_.steady() + one.every;
    row.kept = std::move(one);
  }
  thread_ = std::jthread([this] { run(); });
}

Keeper::~Keeper() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Keeper::run() {
  while (await_change()) {
    for (Row& row : rows_) attend(row);
  }
}

void Keeper::attend(Row& row) {
  const bool watched = look(row);
  const bool has_time = row.kept.every > Duration::zero();
  const bool is_time = clock_.steady() >= row.next;
  if (has_time && is_time) row.due = true;
  if (!is_time && (row.failed || (watched && !row.due))) return;
  const bool restored = !row.due || restore(row);
  row.due = !restored;
  row.failed = !restored || !watched;
  row.next = Steady::max();
  const Steady now = clock_.steady();
  if (has_time) row.next = now + row.kept.every;
  if (row.failed) row.next = now + (has_time ? keeper::kQuickRetry : keeper::kRetry);
}

bool Keeper::await_change() {
  Steady next = Steady::max();
  for (const Row& row : rows_) next = std::min(next, row.next);
  MutexLock lock(mutex_);
  while (!woken_ && !stopped_ && clock_.steady() < next) {
    if (next == Steady::max()) {
      changed_.wait(mutex_);
    } else {
      clock_.wait_until(changed_, mutex_, next);
    }
  }
  woken_ = false;
  return !stopped_;
}

void Keeper::wake() {
  MutexLock lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void Keeper::pause_until(Steady time) {
  MutexLock lock(mutex_);
  while (!stopped_ && clock_.steady() < time) clock_.wait_until(changed_, mutex_, time);
}

bool Keeper::look(Row& row) {
  bool watched = true;
  for (size_t i = 0; i < row.watches.size(); ++i) watched = look(row, i) && watched;
  return watched;
}

bool Keeper::look(Row& row, size_t index) {
  std::unique_ptr<store::Watch>& watch = row.watches[index];
  store::Revision from = since_;
  for (;;) {
    if (watch == nullptr) {
      const std::string& key = row.kept.keys[index];
      auto opened = store_.watch(
          {.prefix = key, .exact = !key.ends_with('/'), .from = from, .wake = [this] { wake(); }});
      if (!opened) {
        row.due = true;
        if (from == store::Revision{}) return false;
        from = {};  // the one we wanted is too old
        continue;
      }
      watch = std::move(*opened);
    }
    const Result<store::WatchBatch> batch = watch->next(keeper::kEventsAtOnce);
    if (!batch) {
      watch = nullptr;
      from = {};
      row.due = true;
      continue;
    }
    if (batch->events.empty()) return true;  // and it wakes us when there are some
    for (const store::Event& event : batch->events) {
      if (keeper::concerns(event, row.kept.when)) row.due = true;
    }
  }
}

bool Keeper::restore(const Row& row) {
  bound_rate();
  const Result<void> restored = row.kept.restore();
  if (restored.ok()) return true;
  keeper::kLog.warn("restoring system objects failed",
                    {{"first", row.kept.keys[0]}, {"error", restored.status()}});
  return false;
}

// Every restore costs a second of credit; without credit it waits.
void Keeper::bound_rate() {
  const Steady now = clock_.steady();
  paid_until_ = std::max(paid_until_, now) + keeper::kPerRestore;
  const Steady earliest = paid_until_ - keeper::kBurst * keeper::kPerRestore;
  if (earliest > now) pause_until(earliest);
}

}  // namespace proa::apiserver
