#include "store/etcd/etcd_store.h"

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <thread>

#include "base/log.h"
#include "store/engine/cursor.h"
#include "store/engine/reads.h"
#include "store/etcd/commit/committer.h"
#include "store/etcd/follow/catch_up.h"
#include "store/etcd/follow/follower.h"
#include "store/etcd/health.h"
#include "store/etcd/upkeep/compactor.h"
#include "store/etcd/upkeep/space_alarm.h"
#include "store/etcd/upkeep/stored_values.h"

namespace proa::store {
namespace etcd_store {

using namespace std::chrono_literals;
using namespace etcd;

const Log kLog{"store"};

constexpr Duration kFirstRetry = 50ms;
constexpr Duration kMaxRetry = 5s;
// How often late answers are looked for while anything waits.
constexpr Duration kDeadlineInterval = 1s;

Status closed() { return {Reason::kServiceUnavailable, "the store is closed"}; }

Evaluator::Limits limits_of(const EtcdOptions& options) {
  Evaluator::Limits limits = options.engine.limits;
  limits.operations = options.max_operations - Committer::kOwnOperations;
  return limits;
}

class Opened final : public EtcdStore {
 public:
  Opened(Clock& clock, Random& random, const EtcdOptions& options)
      : clock_(clock),
        options_(options),
        form_(options.root, options.prefix, options.transformer),
        cache_(clock,
               {options.engine.history_age, options.engine.history_changes,
                options.engine.history_bytes},
               [this] { watch_deadlines(); }),
        health_(options.engine.health_changed),
        client_(options.endpoints, options.tls, options.observe),
        leases_(client_, clock, options.lease_share_percent),
        follower_({client_, form_, cache_, options.trusts_progress}),
        catch_up_({client_, cache_, follower_}, options.request_timeout),
        alarm_(client_, health_),
        committer_({client_, form_, cache_, leases_, alarm_, random}, limits_of(options),
                   options.request_timeout),
        compactor_(client_, options.compaction_interval, [this] { follower_.ask_size(); }) {}
  ~Opened() override;

  Result<void> open();

  using Store::get;
  void commit(Txn txn, Durability, CommitCallback done) override {
    committer_.commit(std::move(txn), std::move(done));
  }
  Result<Committed> commit(Txn txn, Durability durability) override;
  Result<EntryPtr> get(std::string_view key, Revision at) const override {
    return read_entry(cache_.state(), key, at);
  }
  Result<RangeResult> range(const RangeQuery& query) const override {
    return read_range(cache_.state(), query);
  }
  Result<size_t> count(const KeyRange& keys, Revision at) const override {
    return count_keys(cache_.state(), keys, at);
  }
  Revision revision() const override { return cache_.revision(); }
  Result<std::unique_ptr<Watch>> watch(WatchOptions options) override;
  size_t max_operations() const override {
    return options_.max_operations - Committer::kOwnOperations;
  }
  bool is_shared() const override { return true; }
  void catch_up(std::function<void(Result<void>)> done) const override {
    catch_up_.ask(std::move(done));
  }
  Result<void> wait_until_caught_up(const Until& until) const override;
  Result<void> compact(Revision revision) override;
  Result<void> checkpoint(const std::string&) override {
    return Status(Reason::kMethodNotAllowed,
                  "the store is on etcd: use \"etcdctl snapshot save\" to copy it");
  }
  StoreStats stats() const override;
  Result<void> set_transformer(std::shared_ptr<const ValueTransformer> transformer) override;
  Result<void> reencode(const ReencodeObserver& observe, const std::stop_token& stop) override {
    return rewrite_values(client_, form_, observe, stop);
  }
  StoreHealth health() const override { return health_.get(); }
  std::string id() const override { return fmt::format("{:x}", follower_.cluster_id()); }
  void tick() override;

 private:
  void follow(const std::stop_token& stop);
  void keep_house(const std::stop_token& stop);
  void watch_deadlines();

  Clock& clock_;
  const EtcdOptions options_;
  StoredForm form_;
  Cache cache_;
  Health health_;
  EtcdClient client_;
  Leases leases_;
  Follower follower_;
  mutable CatchUp catch_up_;
  SpaceAlarm alarm_;
  Committer committer_;
  Compactor compactor_;
  std::atomic<bool> watching_deadlines_ = false;
  std::jthread following_;
  std::jthread housekeeping_;
};

Opened::~Opened() {
  following_.request_stop();
  housekeeping_.request_stop();
  if (following_.joinable()) following_.join();
  if (housekeeping_.joinable()) housekeeping_.join();
  committer_.stop();
  client_.stop();
  cache_.fail_waiters(Steady::max(), closed());
}

Result<void> Opened::open() {
  client_.on_left([this](size_t endpoint) { follower_.left(endpoint); });
  TRY(follower_.load(Until::after(client_.clock(), options_.start_timeout)));
  following_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  if (options_.engine.own_thread)
    housekeeping_ = std::jthread([this](const std::stop_token& stop) { keep_house(stop); });
  // What happened since the state that was loaded.
  const Until until = Until::after(client_.clock(), options_.start_timeout);
  Result<void> current = wait_until_caught_up(until);
  while (!current.ok() && !current.is(Reason::kForbidden) &&
         client_.clock().steady() < until.deadline) {
    follower_.pause(kFirstRetry, {});
    current = wait_until_caught_up(until);
  }
  TRY(current);
  alarm_.check();
  compactor_.start();
  return {};
}

void Opened::follow(const std::stop_token& stop) {
  Duration retry = kFirstRetry;
  while (!stop.stop_requested()) {
    const Status ended = follower_.follow(
        [&] {
          retry = kFirstRetry;
          health_.set_followed(std::nullopt);
        },
        stop);
    if (stop.stop_requested()) return;
    if (ended.is(Reason::kExpired)) continue;
    const Status failure = store_failure(ended);
    // Waiting does not help.
    if (failure.is(Reason::kForbidden)) cache_.fail_waiters(Steady::max(), failure);
    // One failure is no reason to be unready: another member may answer.
    if (retry > kFirstRetry) health_.set_followed(failure);
    kLog.warn("etcd cannot be followed", {{"error", failure}});
    follower_.pause(retry, stop);
    retry = std::min(retry * 2, kMaxRetry);
  }
}

void Opened::keep_house(const std::stop_token& stop) {
  Mutex mutex;
  CondVar changed;
  const std::stop_callback on_stop(stop, [&] {
    MutexLock lock(mutex);
    changed.notify_all();
  });
  while (!stop.stop_requested()) {
    const Steady next =
        std::min(cache_.housekeep(), clock_.steady() + options_.engine.history_age / 8);
    MutexLock lock(mutex);
    if (!stop.stop_requested()) clock_.wait_until(changed, mutex, next);
  }
}

void Opened::watch_deadlines() {
  if (watching_deadlines_.exchange(true)) return;
  client_.after(kDeadlineInterval, [this] {
    watching_deadlines_ = false;
    cache_.fail_waiters(
        client_.clock().steady(),
        Status(Reason::kTimeout, "etcd's changes are not seen: the watch of etcd is behind"));
    if (cache_.has_waiters()) watch_deadlines();
  });
}

Result<Committed> Opened::commit(Txn txn, Durability durability) {
  const auto outcome = std::make_shared<std::promise<Result<Committed>>>();
  auto future = outcome->get_future();
  commit(std::move(txn), durability,
         [outcome](Result<Committed> result) { outcome->set_value(std::move(result)); });
  return future.get();
}

Result<std::unique_ptr<Watch>> Opened::watch(WatchOptions options) {
  {
    ReaderLock lock(cache_.state().mutex);
    const Keyspace& keyspace = cache_.state().keyspace;
    if (options.from == Revision{}) options.from = keyspace.revision().next();
    TRY(keyspace.watchable(options.from));
  }
  return std::make_unique<Cursor>(cache_.state(), cache_.registry(), clock_, std::move(options));
}

Result<void> Opened::wait_until_caught_up(const Until& until) const {
  struct Waiting {
    Mutex mutex;
    CondVar changed;
    std::optional<Result<void>> outcome GUARDED_BY(mutex);
  };
  const auto waiting = std::make_shared<Waiting>();
  catch_up([waiting](Result<void> done) {
    MutexLock lock(waiting->mutex);
    waiting->outcome = std::move(done);
    waiting->changed.notify_all();
  });
  const std::stop_callback on_stop(until.stop, [&] {
    MutexLock lock(waiting->mutex);
    waiting->changed.notify_all();
  });
  MutexLock lock(waiting->mutex);
  while (!waiting->outcome) {
    if (until.stop.stop_requested()) return Status(Reason::kServiceUnavailable, "stopped");
    if (clock_.steady() >= until.deadline)
      return Status(Reason::kTimeout, "etcd's revision is not known in time");
    clock_.wait_until(waiting->changed, waiting->mutex, until.deadline);
  }
  return *waiting->outcome;
}

Result<void> Opened::compact(Revision revision) {
  if (revision > this->revision())
    return Status(Reason::kBadRequest, "cannot compact a future revision");
  const auto answer =
      client_.ask("KV/Compact", write_compaction(revision.value), options_.request_timeout);
  // It is compacted already.
  const bool done = answer.ok() || http::grpc_code(answer.status()) == http::GrpcCode::kOutOfRange;
  if (!done) return store_failure(answer.status());
  return cache_.compact(revision);
}

Result<void> Opened::set_transformer(std::shared_ptr<const ValueTransformer> transformer) {
  CHECK(transformer != nullptr);
  TRY(verify_values(client_, form_, *transformer));
  form_.set_transformer(std::move(transformer));
  return {};
}

StoreStats Opened::stats() const {
  StoreStats stats{.watches = cache_.registry().size(),
                   .commits = committer_.commits(),
                   .synced_writes = committer_.commits(),
                   .disk_bytes = static_cast<uint64_t>(follower_.database_bytes())};
  ReaderLock lock(cache_.state().mutex);
  const Keyspace& keyspace = cache_.state().keyspace;
  stats.revision = keyspace.revision();
  stats.compacted = keyspace.compacted();
  stats.keys = keyspace.keys();
  stats.history = keyspace.history().size();
  stats.memory_bytes = keyspace.memory_bytes();
  return stats;
}

void Opened::tick() {
  if (options_.revokes_leases && leases_.revoke_expired().ok())
    static_cast<void>(wait_until_caught_up({}));
  static_cast<void>(cache_.housekeep());
}

}  // namespace etcd_store

Result<std::unique_ptr<EtcdStore>> open_etcd_store(Clock& clock, Random& random,
                                                   const EtcdOptions& options) {
  if (options.endpoints.empty())
    return Status(Reason::kBadRequest, "a store on etcd needs at least one endpoint");
  auto store = std::make_unique<etcd_store::Opened>(clock, random, options);
  TRY(store->open());
  return std::unique_ptr<EtcdStore>(std::move(store));
}

}  // namespace proa::store
