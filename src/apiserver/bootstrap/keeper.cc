#include "apiserver/bootstrap/keeper.h"

#include <algorithm>

#include "base/log.h"

namespace proa::apiserver {
namespace keeper {

const Log kLog{"apiserver"};
constexpr size_t kEventsAtOnce = 64;
constexpr Duration kRetry = std::chrono::seconds(10);
constexpr Duration kPerRestore = std::chrono::seconds(1);
constexpr int kBurst = 20;  // restores that need not wait

}  // namespace keeper

Keeper::Keeper(store::Store& store, Clock& clock, std::vector<Kept> kept, store::Revision since)
    : store_(store), clock_(clock), since_(since) {
  for (Kept& one : kept) {
    Row& row = rows_.emplace_back();
    row.watches.resize(one.keys.size());
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
    bool watched = true;
    for (Row& row : rows_) watched = look(row) && watched;
    if (restore_due() && watched) continue;
    pause_until(clock_.steady() + keeper::kRetry);
    wake();
  }
}

bool Keeper::await_change() {
  MutexLock lock(mutex_);
  while (!woken_ && !stopped_) changed_.wait(mutex_);
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
      auto opened = store_.watch(
          {.prefix = row.kept.keys[index], .exact = true, .from = from, .wake = [this] {
             wake();
           }});
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
      if (row.kept.when == Kept::When::kChanged || event.entry->deleted()) row.due = true;
    }
  }
}

bool Keeper::restore_due() {
  bool worked = true;
  for (Row& row : rows_) {
    if (!row.due) continue;
    bound_rate();
    const Result<void> restored = row.kept.restore();
    row.due = !restored.ok();
    if (restored.ok()) continue;
    worked = false;
    keeper::kLog.warn("restoring system objects failed",
                      {{"first", row.kept.keys[0]}, {"error", restored.status()}});
  }
  return worked;
}

// Every restore costs a second of credit; without credit it waits.
void Keeper::bound_rate() {
  const Steady now = clock_.steady();
  paid_until_ = std::max(paid_until_, now) + keeper::kPerRestore;
  const Steady earliest = paid_until_ - keeper::kBurst * keeper::kPerRestore;
  if (earliest > now) pause_until(earliest);
}

}  // namespace proa::apiserver
