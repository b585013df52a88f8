#include "client/leader/election.h"

#include "base/log.h"
#include "client/informer/backoff.h"

namespace proa::client {
namespace election {

const Log kLog{"client"};

// Jitter of waiting candidates; upstream's JitterFactor.
constexpr double kJitter = 1.2;

int64_t seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace election

Election::Election(Client& client, Clock& clock, Random& random, ElectionOptions options,
                   ElectionCallbacks callbacks)
    : clock_(clock),
      random_(random),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      lock_(BoundedClient(client, clock, {}, options_.renew_deadline), options_.lease) {
  CHECK(!options_.candidate.identity.empty());
  CHECK(options_.lease_duration > options_.renew_deadline);
  CHECK(options_.renew_deadline > options_.retry_period);
  CHECK(options_.renew_deadline > options_.renew_period);
}

void Election::observe(const LeaseRecord& record, Steady now) {
  if (!(record == observed_)) {
    observed_ = record;
    observed_at_ = now;
  }
  if (observed_.holder == reported_) return;
  reported_ = observed_.holder;
  if (!reported_.empty() && callbacks_.new_leader) callbacks_.new_leader(reported_);
}

Steady Election::end_of_lease() const {
  return observed_at_ + std::chrono::seconds(observed_.duration_seconds);
}

bool Election::held_by_another(Steady now) const {
  const Candidate& candidate = options_.candidate;
  if (observed_.holder.empty() || observed_.holder == candidate.identity) return false;
  if (candidate.is_gone && candidate.is_gone(observed_.holder)) return false;
  return end_of_lease() > now;
}

std::string Election::failure() const {
  MutexLock lock(mutex_);
  return failure_;
}

void Election::note(const Result<void>& outcome) {
  const bool another = !outcome && held_by_another(clock_.steady());
  const Steady until = another ? end_of_lease() : Steady();
  held_until_.store(until.time_since_epoch().count(), std::memory_order_release);
  MutexLock lock(mutex_);
  failure_ = outcome ? std::string() : outcome.status().message();
}

Result<void> Election::renew(const LeaseRecord& record, Steady now) {
  TRY(lock_.update(record));
  observe(record, now);
  return {};
}

// `now` is read before the write: the lease counts from when it was sent.
Result<void> Election::try_to_lead() {
  const Steady now = clock_.steady();
  const std::string written = format_micro_time(clock_.now());
  LeaseRecord record{.holder = options_.candidate.identity,
                     .duration_seconds = election::seconds(options_.lease_duration),
                     .acquired = written,
                     .renewed = written,
                     .transitions = 0};
  if (leading_ && observed_.holder == options_.candidate.identity) {
    // Only the leader writes while the lease lasts, so it need not be read first.
    record.acquired = observed_.acquired;
    record.transitions = observed_.transitions;
    if (renew(record, now)) return {};
  }
  const Result<LeaseRecord> found = lock_.read();
  if (found.is(Reason::kNotFound)) {
    TRY(lock_.create(record));
    observe(record, now);
    return {};
  }
  if (!found) return found.status();
  observe(*found, now);
  if (held_by_another(now)) {
    return Status(Reason::kConflict, "the lease is held by " + observed_.holder);
  }
  const bool mine = observed_.holder == options_.candidate.identity;
  record.acquired = mine ? observed_.acquired : written;
  record.transitions = observed_.transitions + (mine ? 0 : 1);
  return renew(record, now);
}

Steady Election::step() {
  const Steady begun = clock_.steady();
  const Result<void> outcome = try_to_lead();
  note(outcome);
  const Steady now = clock_.steady();
  if (outcome) {
    lost_at_.store((begun + options_.renew_deadline).time_since_epoch().count(),
                   std::memory_order_release);
    if (!leading_.exchange(true)) {
      election::kLog.info("became leader", {{"lease", options_.lease.name}});
      if (callbacks_.started_leading) callbacks_.started_leading();
    }
    return now + options_.renew_period;
  }
  if (leading_) {
    election::kLog.warn("renewing the lease failed",
                        {{"lease", options_.lease.name}, {"why", outcome.status()}});
    const Steady lost_at{Duration(lost_at_.load())};
    if (now < lost_at && !held_by_another(now))
      return std::min(now + options_.retry_period, lost_at);
    lose();
    return now + options_.retry_period;
  }
  return now + jittered(options_.retry_period, election::kJitter, random_);
}

void Election::lose() {
  election::kLog.warn("lost leadership", {{"lease", options_.lease.name}});
  stop_leading();
}

void Election::stop_leading() {
  leading_ = false;
  if (callbacks_.stopped_leading) callbacks_.stopped_leading();
}

void Election::resign() {
  if (!leading_) return;
  stop_leading();
  if (!options_.release_on_stop) return;
  const std::string now = format_micro_time(clock_.now());
  // Others may take over at once: a lease without a holder has expired.
  const LeaseRecord record{.holder = "",
                           .duration_seconds = 1,
                           .acquired = now,
                           .renewed = now,
                           .transitions = observed_.transitions};
  if (const Result<void> released = renew(record, clock_.steady()); !released) {
    election::kLog.warn("releasing the lease failed",
                        {{"lease", options_.lease.name}, {"why", released.status()}});
    return;
  }
  election::kLog.info("released lease", {{"lease", options_.lease.name}});
}

void Election::run(const std::stop_token& stop) {
  const std::stop_callback stopped(stop, [this] {
    MutexLock lock(mutex_);
    stopped_.notify_all();
  });
  while (!stop.stop_requested()) {
    const Steady next = step();
    MutexLock lock(mutex_);
    while (!stop.stop_requested() && clock_.steady() < next) {
      clock_.wait_until(stopped_, mutex_, next);
    }
  }
  resign();
}

}  // namespace proa::client
