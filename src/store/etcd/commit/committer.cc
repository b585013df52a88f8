#include "store/etcd/commit/committer.h"

#include <array>

#include "store/engine/reads.h"

namespace proa::store::etcd {
namespace committer {

// A marker stays for an hour after its last use, at least; its lease is renewed half as often.
constexpr Duration kMarkerLife = std::chrono::hours(1);
constexpr Duration kMarkerShare = std::chrono::minutes(30);
constexpr size_t kNameLength = 12;
// An answer that was lost may take that much longer than others.
constexpr int kPatience = 3;

// What a put wrote, where the history that says it is compacted already.
EntryPtr written_entry(const Put& put, Revision at) {
  const Entry::Facts facts{.mod_revision = at, .create_revision = at, .version = 1};
  const std::string_view value = put.value.view();
  if (!put.stamp_at) return Entry::make(put.key, value, facts);
  const std::string stamp = std::to_string(at.value);
  const std::array<std::string_view, 3> parts = {value.substr(0, *put.stamp_at), stamp,
                                                 value.substr(*put.stamp_at)};
  return Entry::make(put.key, parts, facts);
}

// It failed because its session had ended, so it did not take place, and will not.
bool is_fenced(const TxnResponse& response) {
  return !response.succeeded && !response.responses.empty() && !response.responses[0].kvs.empty();
}

// It is decided, but this server does not see it.
Status unseen(const Committed& outcome, const Status& why) {
  const std::string what = outcome.succeeded ? "the write took place" : "the write was refused";
  return {Reason::kTimeout, what + " at revision " + std::to_string(outcome.revision.value) +
                                ", which this server does not see yet: " + why.message()};
}

// That a delete took something away is told by the change itself, where the answer was lost.
constexpr int64_t kNotTold = -1;

}  // namespace committer

Committer::Committer(const Parts& parts, const Evaluator::Limits& limits, Duration timeout)
    : parts_(parts),
      limits_(limits),
      timeout_(timeout),
      session_(new_session()),
      lost_({parts.client, parts.leases},
            [this](const PendingPtr& pending, const Result<std::optional<Revision>>& outcome) {
              found(pending, outcome);
            }) {}

// Outside of the range that is watched.
std::shared_ptr<const Session> Committer::new_session() const {
  const std::string name = make_suffix(parts_.random, committer::kNameLength);
  const std::string folder = parts_.form.prefix() + ".proa/";
  return std::make_shared<const Session>(
      Session{.marker = folder + "commits/" + name, .fence = folder + "ended/" + name});
}

void Committer::commit(Txn txn, CommitCallback done) {
  auto pending = std::make_shared<PendingCommit>();
  pending->txn = std::move(txn);
  pending->done = std::move(done);
  pending->deadline = parts_.client.clock().steady() + timeout_ * committer::kPatience;
  const Result<void> prepared = prepare(*pending);
  if (!prepared.ok()) return pending->done(prepared.status());
  acquire_leases(std::move(pending), 0);
}

Result<void> Committer::prepare(PendingCommit& pending) const {
  TRY(validate(pending.txn, limits_));
  const auto transformer = parts_.form.transformer();
  for (const Compare& compare : pending.txn.compares)
    pending.compared.push_back(TRY(parts_.form.key_in_etcd(compare.key)));
  for (const Operation& operation : pending.txn.operations) {
    pending.keys.push_back(TRY(parts_.form.key_in_etcd(key_of(operation))));
    const Put* put = std::get_if<Put>(&operation);
    if (put != nullptr && transformer != nullptr) TRY(transformer->writable(put->key));
    pending.values.push_back(put == nullptr ? std::string() : TRY(parts_.form.value_in_etcd(*put)));
  }
  pending.leases.resize(pending.keys.size());
  return {};
}

void Committer::acquire_leases(PendingPtr pending, size_t from) {
  for (size_t i = from; i < pending->txn.operations.size(); ++i) {
    const Put* put = std::get_if<Put>(&pending->txn.operations[i]);
    if (put == nullptr || !put->ttl) continue;
    const Duration ttl = *put->ttl;
    return parts_.leases.get(ttl, [this, pending, i](const Result<int64_t>& lease) {
      if (!lease.ok()) return failed(pending, lease.status());
      pending->leases[i] = *lease;
      acquire_leases(pending, i + 1);
    });
  }
  acquire_marker(std::move(pending));
}

void Committer::acquire_marker(PendingPtr pending) {
  // A full etcd accepts deletes, but no marker.
  pending->marked =
      pending->takes_revision() && !(pending->only_deletes() && parts_.alarm.is_raised());
  if (!pending->marked) return send(std::move(pending), 0);
  parts_.leases.get(committer::kMarkerLife, committer::kMarkerShare,
                    [this, pending](const Result<int64_t>& lease) {
                      if (!lease.ok()) return failed(pending, lease.status());
                      send(pending, *lease);
                    });
}

void Committer::send(PendingPtr pending, int64_t marker_lease) {
  {
    MutexLock lock(mutex_);
    pending->session = session_;
    pending->number = ++last_number_;
  }
  pending->sent_at = parts_.cache.revision();
  const std::string number = std::to_string(pending->number);
  std::string message = write(request_of(*pending, number, marker_lease));
  parts_.client.start("KV/Txn", std::move(message), timeout_,
                      [this, pending = std::move(pending)](const Result<Bytes>& answer) {
                        answered(pending, answer);
                      });
}

// REQUIRES: it did not take place, and will not.
void Committer::failed(const PendingPtr& pending, const Status& failure) {
  const Status status = store_failure(failure);
  if (status.is(Reason::kInsufficientStorage)) {
    const bool known = parts_.alarm.is_raised();
    parts_.alarm.raised();
    // Without the marker it may be accepted.
    if (!known && pending->only_deletes()) return acquire_marker(pending);
  }
  pending->done(status);
}

void Committer::send_again(const PendingPtr& pending) {
  if (parts_.client.clock().steady() >= pending->deadline) {
    return pending->done(
        Status(Reason::kServiceUnavailable, "etcd did not carry out the write in time"));
  }
  acquire_marker(pending);
}

void Committer::answered(const PendingPtr& pending, const Result<Bytes>& answer) {
  if (!answer.ok()) {
    if (!is_ambiguous(answer.status())) return failed(pending, answer.status());
    {
      MutexLock lock(mutex_);
      // What follows must not wait for this.
      if (session_ == pending->session) session_ = new_session();
    }
    return lost_.add(pending, answer.status());
  }
  const auto response = read_txn(answer->view());
  if (!response.ok()) return lost_.add(pending, response.status());
  if (committer::is_fenced(*response)) return send_again(pending);
  std::vector<int64_t> deleted;
  for (const ResponseOp& done : response->responses) deleted.push_back(done.deleted);
  finish(pending,
         {.succeeded = response->succeeded, .revision = {response->header.revision}, .entries = {}},
         std::move(deleted));
}

void Committer::found(const PendingPtr& pending, const Result<std::optional<Revision>>& outcome) {
  if (!outcome.ok()) return pending->done(outcome.status());
  if (!*outcome) return send_again(pending);
  finish(pending, {.succeeded = true, .revision = **outcome, .entries = {}},
         std::vector<int64_t>(pending->keys.size(), committer::kNotTold));
}

void Committer::finish(const PendingPtr& pending, const Committed& outcome,
                       std::vector<int64_t> deleted) {
  deleted.resize(std::max(deleted.size(), pending->keys.size()));
  const auto complete = [this, pending, outcome,
                         deleted = std::move(deleted)](const Result<void>& reached) {
    if (!reached.ok()) return pending->done(committer::unseen(outcome, reached.status()));
    Committed whole = outcome;
    const Txn& txn = pending->txn;
    for (size_t i = 0; outcome.succeeded && i < txn.operations.size(); ++i)
      whole.entries.push_back(entry_of(txn.operations[i], outcome.revision, deleted[i]));
    for (size_t i = 0; !outcome.succeeded && i < txn.compares.size(); ++i) {
      const Key& key = txn.compares[i].key;
      auto current = read_entry(parts_.cache.state(), key, outcome.revision);
      if (!current.ok()) current = read_entry(parts_.cache.state(), key, {});
      whole.entries.push_back(current.ok() ? *current : nullptr);
    }
    if (outcome.succeeded) ++commits_;
    pending->done(std::move(whole));
  };
  const Steady deadline = parts_.client.clock().steady() + timeout_;
  parts_.cache.when_reached(outcome.revision, deadline, complete);
}

EntryPtr Committer::entry_of(const Operation& operation, Revision at, int64_t deleted) const {
  const Put* put = std::get_if<Put>(&operation);
  if (put == nullptr && deleted == 0) return nullptr;
  const std::string_view key = key_of(operation);
  EntryPtr entry = parts_.cache.find_change(key, at);
  if (entry != nullptr) return entry;
  if (put != nullptr) return committer::written_entry(*put, at);
  if (deleted == committer::kNotTold) return nullptr;
  return Entry::make(key, std::string_view(), {.mod_revision = at, .deleted = true});
}

}  // namespace proa::store::etcd
