#include "store/etcd/commit/lost_answers.h"

#include <algorithm>
#include <future>

#include "base/log.h"
#include "base/strings.h"
#include "store/etcd/follow/watch_stream.h"

namespace proa::store::etcd {
namespace lost_answers {

using namespace std::chrono_literals;

const Log kLog{"store"};

constexpr Duration kTimeout = 5s;
constexpr Duration kRetryInterval = 200ms;
// A request does not travel longer than this.
constexpr Duration kFenceLife = 1h;
constexpr Duration kFenceShare = 30min;

Status unknown(const Status& why) {
  return {Reason::kTimeout,
          "it is not known whether the write took place: " + store_failure(why).message()};
}

}  // namespace lost_answers

void LostAnswers::add(PendingPtr pending, const Status& why) {
  {
    MutexLock lock(mutex_);
    if (!stopped_) {
      lost_.push_back({std::move(pending), why});
      if (!thread_.joinable())
        thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
      changed_.notify_all();
      return;
    }
  }
  found_(pending, lost_answers::unknown(why));
}

void LostAnswers::stop() {
  std::jthread ending;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    ending = std::move(thread_);
    ending.request_stop();
    changed_.notify_all();
  }
  if (ending.joinable()) ending.join();
  std::vector<Lost> left;
  {
    MutexLock lock(mutex_);
    left.swap(lost_);
  }
  for (const Lost& lost : left) found_(lost.pending, lost_answers::unknown(lost.why));
}

void LostAnswers::work(const std::stop_token& stop) {
  for (;;) {
    std::vector<Lost> some;
    {
      MutexLock lock(mutex_);
      while (lost_.empty() && !stop.stop_requested()) changed_.wait(mutex_);
      if (stop.stop_requested()) return;
      // Those of one session together.
      const auto session = lost_.front().pending->session;
      const auto same = std::partition(lost_.begin(), lost_.end(), [&](const Lost& lost) {
        return lost.pending->session != session;
      });
      some.assign(std::make_move_iterator(same), std::make_move_iterator(lost_.end()));
      lost_.erase(same, lost_.end());
    }
    resolve(some, stop);
  }
}

void LostAnswers::resolve(const std::vector<Lost>& lost, const std::stop_token& stop) {
  const Session& session = *lost.front().pending->session;
  Steady deadline = Steady::min();
  Revision from = lost.front().pending->sent_at;
  for (const Lost& one : lost) {
    deadline = std::max(deadline, one.pending->deadline);
    from = std::min(from, one.pending->sent_at);
  }
  Clock& clock = parts_.client.clock();
  Result<History> history = Status(Reason::kTimeout, "etcd was not asked");
  for (;;) {
    const Result<Revision> ended = end_session(session);
    history = ended.ok() ? read_history(session, from.next(), *ended, stop)
                         : Result<History>(ended.status());
    if (history.ok() || history.is(Reason::kExpired)) break;
    if (stop.stop_requested() || clock.steady() >= deadline) break;
    const Steady retry = clock.steady() + lost_answers::kRetryInterval;
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && clock.steady() < retry)
      clock.wait_until(changed_, mutex_, retry);
  }
  lost_answers::kLog.warn("answers of etcd were lost",
                          {{"commits", lost.size()},
                           {"why", lost.front().why},
                           {"outcomes", history.ok() ? "known" : "unknown"}});
  for (const Lost& one : lost) {
    if (!history.ok() || !one.pending->marked) {
      found_(one.pending, lost_answers::unknown(history.ok() ? one.why : history.status()));
      continue;
    }
    const auto at = history->find(one.pending->number);
    found_(one.pending, at == history->end() ? std::optional<Revision>() : at->second);
  }
}

// Returns a revision behind everything that the session did.
Result<Revision> LostAnswers::end_session(const Session& session) {
  const auto granted = std::make_shared<std::promise<Result<int64_t>>>();
  auto lease = granted->get_future();
  parts_.leases.get(lost_answers::kFenceLife, lost_answers::kFenceShare,
                    [granted](Result<int64_t> result) { granted->set_value(std::move(result)); });
  const Result<int64_t> id = lease.get();
  if (!id.ok()) return id.status();
  const TxnRequest request{
      .conditions = {{.of = Condition::Of::kCreation, .key = session.fence}},
      .success = {PutRequest{.key = session.fence, .value = "ended", .lease = *id}},
      .failure = {}};
  const Bytes answer = TRY(parts_.client.ask("KV/Txn", write(request), lost_answers::kTimeout));
  const TxnResponse response = TRY(read_txn(answer.view()));
  return Revision{response.header.revision};
}

Result<LostAnswers::History> LostAnswers::read_history(const Session& session, Revision from,
                                                       Revision to, const std::stop_token& stop) {
  History history;
  if (from > to) return history;
  // Both keys: the fence, or a later answer, tells that nothing more comes of the marker.
  const Bytes last = TRY(parts_.client.ask("KV/Range", write(RangeRequest{.key = session.marker}),
                                           lost_answers::kTimeout));
  const RangeResponse marker = TRY(read_range(last.view()));
  if (marker.kvs.empty() || marker.kvs[0].mod_revision < from.value) return history;
  const int64_t end = marker.kvs[0].mod_revision;
  WatchStream stream(
      parts_.client,
      write(WatchRequest{.key = session.marker, .range_end = {}, .start_revision = from.value}));
  for (;;) {
    const Bytes message =
        TRY(stream.receive(Until::after(parts_.client.clock(), lost_answers::kTimeout, stop)));
    const WatchResponse response = TRY(read_watch(message.view()));
    if (response.canceled)
      return Status(Reason::kExpired, "etcd compacted the history that would tell");
    for (const WatchEvent& event : response.events) {
      if (const auto number = parse_uint(event.kv.value))
        history[*number] = Revision{event.kv.mod_revision};
      if (event.kv.mod_revision >= end) return history;
    }
  }
}

}  // namespace proa::store::etcd
