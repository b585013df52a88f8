#include "store/etcd/commit/committer.h"

#include <array>

#include "store/engine/reads.h"

namespace proa::store::etcd {
namespace committer {

std::string_view key_of(const Operation& operation) {
  return std::visit([](const auto& one) -> std::string_view { return one.key; }, operation);
}

Status unknown_outcome(const Status& failure) {
  return {Reason::kTimeout,
          "it is not known whether the write took place: " + store_failure(failure).message()};
}

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

}  // namespace committer

// A commit on its way, and its parts as they stand in etcd.
struct Committer::Pending {
  Txn txn;
  CommitCallback done;
  std::vector<std::string> compared;
  std::vector<std::string> keys;
  std::vector<std::string> values;  // empty for deletes
  std::vector<int64_t> leases;      // zero: none
};

void Committer::commit(Txn txn, CommitCallback done) {
  auto pending = std::make_shared<Pending>();
  pending->txn = std::move(txn);
  pending->done = std::move(done);
  const Result<void> prepared = prepare(*pending);
  if (!prepared.ok()) return pending->done(prepared.status());
  acquire_leases(std::move(pending), 0);
}

Result<void> Committer::prepare(Pending& pending) const {
  TRY(validate(pending.txn, limits_));
  const auto transformer = parts_.form.transformer();
  for (const Compare& compare : pending.txn.compares)
    pending.compared.push_back(TRY(parts_.form.key_in_etcd(compare.key)));
  for (const Operation& operation : pending.txn.operations) {
    pending.keys.push_back(TRY(parts_.form.key_in_etcd(committer::key_of(operation))));
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
      if (!lease.ok()) {
        if (lease.is(Reason::kInsufficientStorage)) parts_.health.set_full(true);
        return pending->done(lease.status());
      }
      pending->leases[i] = *lease;
      acquire_leases(pending, i + 1);
    });
  }
  send(std::move(pending));
}

void Committer::send(PendingPtr pending) {
  TxnRequest request;
  for (size_t i = 0; i < pending->compared.size(); ++i) {
    request.conditions.push_back(
        {.key = pending->compared[i], .number = pending->txn.compares[i].mod_revision.value});
  }
  for (size_t i = 0; i < pending->keys.size(); ++i) {
    if (std::holds_alternative<Delete>(pending->txn.operations[i])) {
      request.success.emplace_back(DeleteRequest{.key = pending->keys[i]});
    } else {
      request.success.emplace_back(PutRequest{
          .key = pending->keys[i], .value = pending->values[i], .lease = pending->leases[i]});
    }
  }
  std::string message = write(request);
  // Not needed any more: values may be large, and many.
  pending->values.clear();
  parts_.client.start("KV/Txn", std::move(message), timeout_,
                      [this, pending = std::move(pending)](const Result<Bytes>& answer) {
                        answered(pending, answer);
                      });
}

void Committer::answered(const PendingPtr& pending, const Result<Bytes>& answer) {
  if (!answer.ok()) {
    if (is_ambiguous(answer.status()))
      return pending->done(committer::unknown_outcome(answer.status()));
    const Status failure = store_failure(answer.status());
    if (failure.is(Reason::kInsufficientStorage)) parts_.health.set_full(true);
    return pending->done(failure);
  }
  const auto response = read_txn(answer->view());
  if (!response.ok()) return pending->done(response.status());
  Committed outcome{.succeeded = response->succeeded, .revision = {response->header.revision}};
  std::vector<int64_t> deleted;
  for (const ResponseOp& done : response->responses) deleted.push_back(done.deleted);
  const Steady deadline = parts_.client.clock().steady() + timeout_;
  parts_.cache.when_reached(outcome.revision, deadline,
                            [this, pending, outcome, deleted](const Result<void>& reached) {
                              if (!reached.ok()) return pending->done(reached.status());
                              finish(*pending, outcome, deleted);
                            });
}

void Committer::finish(const Pending& pending, Committed outcome,
                       const std::vector<int64_t>& deleted) {
  if (outcome.succeeded) {
    const auto& operations = pending.txn.operations;
    for (size_t i = 0; i < operations.size(); ++i) {
      outcome.entries.push_back(
          entry_of(operations[i], outcome.revision, i < deleted.size() ? deleted[i] : 0));
    }
    ++commits_;
  } else {
    for (const Compare& compare : pending.txn.compares) {
      auto found = read_entry(parts_.cache.state(), compare.key, outcome.revision);
      if (!found.ok()) found = read_entry(parts_.cache.state(), compare.key, {});
      outcome.entries.push_back(found.ok() ? *found : nullptr);
    }
  }
  pending.done(std::move(outcome));
}

EntryPtr Committer::entry_of(const Operation& operation, Revision at, int64_t deleted) const {
  const Put* put = std::get_if<Put>(&operation);
  if (put == nullptr && deleted == 0) return nullptr;
  const std::string_view key = committer::key_of(operation);
  EntryPtr entry = parts_.cache.find_change(key, at);
  if (entry != nullptr) return entry;
  if (put != nullptr) return committer::written_entry(*put, at);
  return Entry::make(key, std::string_view(), {.mod_revision = at, .deleted = true});
}

}  // namespace proa::store::etcd
