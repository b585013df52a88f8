#include "store/etcd/commit/pending_commit.h"

#include <algorithm>

namespace proa::store::etcd {

std::string_view key_of(const Operation& operation) {
  return std::visit([](const auto& one) -> std::string_view { return one.key; }, operation);
}

bool PendingCommit::only_deletes() const {
  return std::all_of(txn.operations.begin(), txn.operations.end(), [](const Operation& operation) {
    return std::holds_alternative<Delete>(operation);
  });
}

bool PendingCommit::takes_revision() const {
  const auto is_certain = [&](const Operation& operation) {
    if (std::holds_alternative<Put>(operation)) return true;
    return std::any_of(txn.compares.begin(), txn.compares.end(), [&](const Compare& compare) {
      return compare.key == key_of(operation) && compare.mod_revision > Revision{};
    });
  };
  return std::any_of(txn.operations.begin(), txn.operations.end(), is_certain);
}

TxnRequest request_of(const PendingCommit& pending, const std::string& number,
                      int64_t marker_lease) {
  TxnRequest request;
  for (size_t i = 0; i < pending.compared.size(); ++i) {
    request.conditions.push_back(
        {.key = pending.compared[i], .number = pending.txn.compares[i].mod_revision.value});
  }
  request.conditions.push_back({.of = Condition::Of::kCreation, .key = pending.session->fence});
  for (size_t i = 0; i < pending.keys.size(); ++i) {
    if (std::holds_alternative<Delete>(pending.txn.operations[i])) {
      request.success.emplace_back(DeleteRequest{.key = pending.keys[i]});
    } else {
      request.success.emplace_back(PutRequest{
          .key = pending.keys[i], .value = pending.values[i], .lease = pending.leases[i]});
    }
  }
  if (pending.marked) {
    request.success.emplace_back(
        PutRequest{.key = pending.session->marker, .value = number, .lease = marker_lease});
  }
  request.failure.emplace_back(RangeRequest{.key = pending.session->fence, .keys_only = true});
  return request;
}

}  // namespace proa::store::etcd
