#include "store/etcd/follow/follower.h"

#include <algorithm>
#include <array>

#include "base/log.h"
#include "base/strings.h"
#include "store/etcd/client/pages.h"

namespace proa::store::etcd {
namespace follower {

using namespace std::chrono_literals;

const Log kLog{"store"};

constexpr Duration kRequestTimeout = 10s;
constexpr Duration kRetryInterval = 100ms;
// Without a message for so long, etcd is asked for one.
constexpr Duration kQuiet = 30s;
constexpr Duration kAnswerTimeout = 5s;
// History of more revisions is not loaded.
constexpr int64_t kMostHistory = 10'000;
constexpr std::string_view kFirstKey("\0", 1);

// Compacted meanwhile, or encrypted with a key that the current values do not need any more.
bool may_be_of_history(const Status& failure) {
  return failure.is(Reason::kForbidden) || http::grpc_code(failure) == http::GrpcCode::kOutOfRange;
}

}  // namespace follower

bool reports_progress_in_order(std::string_view version) {
  std::array<int64_t, 3> numbers{};
  const auto parts = split(version, '.');
  for (size_t i = 0; i < std::min(parts.size(), numbers.size()); ++i) {
    const std::string_view digits = parts[i].substr(0, parts[i].find_first_not_of("0123456789"));
    numbers[i] = parse_int(digits).value_or(0);
  }
  if (numbers[0] != 3) return numbers[0] > 3;
  if (numbers[1] == 4) return numbers[2] >= 25;
  if (numbers[1] == 5) return numbers[2] >= 8;
  return numbers[1] > 5;
}

void Follower::pause(Duration time, const std::stop_token& stop) {
  Clock& clock = parts_.client.clock();
  Mutex mutex;
  CondVar changed;
  const std::stop_callback on_stop(stop, [&] {
    MutexLock lock(mutex);
    changed.notify_all();
  });
  const Steady end = clock.steady() + time;
  MutexLock lock(mutex);
  while (!stop.stop_requested() && clock.steady() < end) clock.wait_until(changed, mutex, end);
}

Result<void> Follower::load(const Until& until) {
  for (;;) {
    Result<void> loaded = load_once();
    if (loaded.ok() || loaded.is(Reason::kForbidden)) return loaded;
    if (until.stop.stop_requested() || parts_.client.clock().steady() >= until.deadline)
      return store_failure(loaded.status());
    follower::kLog.debug("loading from etcd failed", {{"error", loaded.status()}});
    pause(follower::kRetryInterval, until.stop);
  }
}

Result<void> Follower::load_once() {
  const Bytes answer = TRY(parts_.client.ask("Maintenance/Status", {}, follower::kRequestTimeout));
  const MemberStatus status = TRY(read_status(answer.view()));
  watches_all_ = !parts_.trusts_progress && !reports_progress_in_order(status.version);
  cluster_id_ = status.header.cluster_id;
  database_bytes_ = status.database_bytes;
  const Revision current = TRY(current_revision());
  Revision at = TRY(oldest_revision(current));
  auto entries = list(at);
  if (!entries.ok() && follower::may_be_of_history(entries.status())) {
    at = {};
    entries = list(at);
  }
  if (!entries.ok()) return entries.status();
  follower::kLog.info("state loaded from etcd", {{"version", status.version},
                                                 {"keys", entries->size()},
                                                 {"revision", at.value},
                                                 {"current", current.value}});
  parts_.cache.load(std::move(*entries), at);
  return {};
}

Result<Revision> Follower::current_revision() {
  const Bytes answer = TRY(parts_.client.ask(
      "KV/Range", write(RangeRequest{.key = follower::kFirstKey, .count_only = true}),
      follower::kRequestTimeout));
  const RangeResponse range = TRY(read_range(answer.view()));
  TRY(check_cluster(range.header));
  return Revision{range.header.revision};
}

// The state of that revision is still known, and all changes behind it.
Result<Revision> Follower::oldest_revision(Revision current) {
  const Revision wanted{std::max<int64_t>(1, current.value - follower::kMostHistory)};
  const auto read = parts_.client.ask(
      "KV/Range",
      write(RangeRequest{.key = follower::kFirstKey, .revision = wanted.value, .count_only = true}),
      follower::kRequestTimeout);
  if (read.ok()) return wanted;
  if (http::grpc_code(read.status()) != http::GrpcCode::kOutOfRange) return read.status();
  // Compacted. A watch from there is told where the history begins.
  WatchStream stream(parts_.client, write(WatchRequest{.key = follower::kFirstKey,
                                                       .range_end = {},
                                                       .start_revision = wanted.value}));
  const Until until = Until::after(parts_.client.clock(), follower::kAnswerTimeout);
  for (;;) {
    const Bytes message = TRY(stream.receive(until));
    const WatchResponse response = TRY(read_watch(message.view()));
    if (!response.canceled) continue;
    if (response.compact_revision > 0) return Revision{response.compact_revision};
    return Status(Reason::kServiceUnavailable, std::string(response.cancel_reason));
  }
}

// `at`: zero for the current revision, which it is then set to.
Result<std::vector<EntryPtr>> Follower::list(Revision& at) {
  std::vector<EntryPtr> entries;
  const auto take = [&](const RangeResponse& page) -> Result<void> {
    for (const KeyValue& kv : page.kvs) {
      auto key = parts_.form.key_of(kv.key);
      if (!key) continue;
      const WatchEvent put{.deleted = false, .kv = kv};
      entries.push_back(TRY(parts_.form.entry_of(*std::move(key), put, 0)));
    }
    return {};
  };
  at = TRY(read_pages(parts_.client, parts_.form.prefix() + "/", at, take));
  return entries;
}

Result<void> Follower::relist() {
  Revision at;
  std::vector<EntryPtr> entries = TRY(list(at));
  follower::kLog.warn("changes in etcd cannot be read any more: state loaded again",
                      {{"keys", entries.size()}, {"revision", at.value}});
  parts_.cache.replace(std::move(entries), std::max(at, parts_.cache.revision()));
  return Status(Reason::kExpired, "the state was loaded again");
}

std::string Follower::create_request(Revision from) const {
  if (watches_all_) {
    return write(WatchRequest{.key = follower::kFirstKey,
                              .range_end = follower::kFirstKey,
                              .start_revision = from.value});
  }
  const std::string begin = parts_.form.prefix() + "/";
  return write(WatchRequest{
      .key = begin, .range_end = KeyRange::prefix(begin).to, .start_revision = from.value});
}

Status Follower::follow(const std::function<void()>& following, const std::stop_token& stop) {
  const Result<void> checked = check_revision();
  if (!checked.ok()) return checked.status();
  WatchStream stream(parts_.client, create_request(parts_.cache.revision().next()));
  {
    MutexLock lock(mutex_);
    stream_ = &stream;
  }
  const auto run = [&]() -> Result<void> {
    Fragments fragments;
    Duration patience = follower::kAnswerTimeout;
    for (;;) {
      auto message = stream.receive(Until::after(parts_.client.clock(), patience, stop));
      if (message.is(Reason::kTimeout)) {
        if (patience == follower::kAnswerTimeout) {
          return http::grpc_status(http::GrpcCode::kDeadlineExceeded,
                                   "etcd does not answer on the watch");
        }
        stream.send(write_progress_request());
        patience = follower::kAnswerTimeout;
        continue;
      }
      if (!message.ok()) return message.status();
      if (patience == follower::kAnswerTimeout) following();
      patience = follower::kQuiet;
      TRY(take(*message, fragments));
    }
  };
  const Result<void> ended = run();
  {
    MutexLock lock(mutex_);
    stream_ = nullptr;
  }
  if (!stop.stop_requested() && !ended.is(Reason::kExpired)) parts_.client.left(stream.endpoint());
  return ended.status();
}

Result<void> Follower::check_revision() {
  const Revision current = TRY(current_revision());
  if (current >= parts_.cache.revision()) return {};
  return Status(Reason::kServiceUnavailable,
                "etcd is older than what was read from it before: was it restored from a backup? "
                "restart this server");
}

Result<void> Follower::check_cluster(const Header& header) {
  if (header.cluster_id == cluster_id_.load()) return {};
  return Status(Reason::kServiceUnavailable,
                "this is another etcd cluster than the one that was read: restart this server, or "
                "correct its list of endpoints");
}

Result<void> Follower::take(const Bytes& message, Fragments& fragments) {
  const WatchResponse response = TRY(read_watch(message.view()));
  TRY(check_cluster(response.header));
  if (response.canceled) {
    if (response.compact_revision > 0) return relist();
    return Status(Reason::kServiceUnavailable,
                  "etcd cancelled the watch: " + std::string(response.cancel_reason));
  }
  if (response.created) return {};
  if (response.events.empty() && !response.fragment) {
    const bool in_order = !watches_all_ || response.watch_id >= 0;
    if (in_order && fragments.changes.empty())
      parts_.cache.apply({}, Revision{response.header.revision});
    return {};
  }
  return take_changes(response, fragments);
}

Result<void> Follower::take_changes(const WatchResponse& response, Fragments& fragments) {
  Revision last;
  for (const WatchEvent& event : response.events) {
    const Revision revision{event.kv.mod_revision};
    last = std::max(last, revision);
    auto key = parts_.form.key_of(event.kv.key);
    if (!key) continue;
    const bool same =
        !fragments.changes.empty() && fragments.changes.back()->mod_revision() == revision;
    const uint32_t index = same ? fragments.changes.back()->index() + 1 : 0;
    auto entry = parts_.form.entry_of(*std::move(key), event, index);
    if (entry.is(Reason::kForbidden)) return relist();
    if (!entry.ok()) return entry.status();
    fragments.changes.push_back(*std::move(entry));
  }
  fragments.last = std::max(fragments.last, last);
  if (response.fragment) return {};
  parts_.cache.apply(fragments.changes, fragments.last);
  fragments = {};
  return {};
}

void Follower::left(size_t endpoint) {
  MutexLock lock(mutex_);
  if (stream_ == nullptr || stream_->endpoint() != endpoint) return;
  stream_->fail(http::grpc_status(http::GrpcCode::kUnavailable, "the member of etcd failed"));
}

void Follower::ask_size() {
  parts_.client.start("Maintenance/Status", {}, follower::kRequestTimeout,
                      [this](const Result<Bytes>& answer) {
                        if (!answer.ok()) return;
                        const auto status = read_status(answer->view());
                        if (status.ok()) database_bytes_ = status->database_bytes;
                      });
}

void Follower::request_progress() {
  MutexLock lock(mutex_);
  if (stream_ != nullptr && !watches_all_) stream_->send(write_progress_request());
}

}  // namespace proa::store::etcd
