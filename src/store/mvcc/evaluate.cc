#include "store/mvcc/evaluate.h"

#include <array>
#include <set>
#include <string>

namespace proa::store {
namespace evaluate {

std::string_view key_of(const Operation& operation) {
  return std::visit([](const auto& one) -> std::string_view { return one.key; }, operation);
}

EntryPtr make_entry(const Put& put, const Entry::Facts& facts) {
  const std::string_view value = put.value.view();
  if (!put.stamp_at) return Entry::make(put.key, value, facts);
  const std::string stamp = std::to_string(facts.mod_revision.value);
  const std::array<std::string_view, 3> parts = {value.substr(0, *put.stamp_at), stamp,
                                                 value.substr(*put.stamp_at)};
  return Entry::make(put.key, parts, facts);
}

}  // namespace evaluate

Result<Committed> Evaluator::evaluate(const Txn& txn, std::vector<Event>& changes) {
  TRY(validate(txn, limits_));
  Committed outcome{.succeeded = true};
  for (const Compare& compare : txn.compares) {
    const EntryPtr entry = find(compare.key);
    const Revision found = entry == nullptr ? Revision{} : entry->mod_revision();
    if (found != compare.mod_revision) outcome.succeeded = false;
  }
  if (!outcome.succeeded) {
    for (const Compare& compare : txn.compares) outcome.entries.push_back(find(compare.key));
    outcome.revision = revision_;
    return outcome;
  }
  const size_t before = changes.size();
  const Revision revision = revision_.next();
  for (const Operation& operation : txn.operations) {
    const auto index = static_cast<uint32_t>(changes.size() - before);
    outcome.entries.push_back(decide(operation, revision, index, changes));
  }
  for (size_t i = before; i < changes.size(); ++i) {
    // The key is a view into the entry: replacing the entry replaces the key.
    written_.erase(changes[i].entry->key());
    written_.emplace(changes[i].entry->key(), changes[i].entry);
  }
  if (changes.size() > before) revision_ = revision;
  outcome.revision = revision_;
  return outcome;
}

EntryPtr Evaluator::decide(const Operation& operation, Revision revision, uint32_t index,
                           std::vector<Event>& changes) {
  EntryPtr previous = find(evaluate::key_of(operation));
  Entry::Facts facts{.mod_revision = revision, .index = index};
  EntryPtr entry;
  if (const Put* put = std::get_if<Put>(&operation)) {
    facts.create_revision = previous == nullptr ? revision : previous->create_revision();
    facts.version = previous == nullptr ? 1 : previous->version() + 1;
    if (put->ttl) facts.expiry = now_ + *put->ttl;
    entry = evaluate::make_entry(*put, facts);
  } else {
    if (previous == nullptr) return nullptr;
    facts.deleted = true;
    entry = Entry::make(std::get<Delete>(operation).key, std::string_view(), facts);
  }
  changes.push_back({entry, std::move(previous)});
  return entry;
}

EntryPtr Evaluator::find(std::string_view key) const {
  if (!written_.empty()) {
    const auto written = written_.find(key);
    if (written != written_.end()) return written->second->deleted() ? nullptr : written->second;
  }
  return state_.find(key);
}

Result<void> validate(const Txn& txn, const Evaluator::Limits& limits) {
  if (txn.operations.size() > limits.operations || txn.compares.size() > limits.operations) {
    return Status(Reason::kRequestEntityTooLarge, "more than " + std::to_string(limits.operations) +
                                                      " operations in one transaction");
  }
  std::set<std::string_view> seen;
  for (const Operation& operation : txn.operations) {
    const std::string_view key = evaluate::key_of(operation);
    if (key.empty()) return Status(Reason::kBadRequest, "a key must not be empty");
    if (key.size() > limits.key_bytes) {
      return Status(Reason::kRequestEntityTooLarge,
                    "a key is longer than " + std::to_string(limits.key_bytes) + " bytes");
    }
    if (txn.operations.size() > 1 && !seen.insert(key).second) {
      return Status(Reason::kBadRequest, "a key occurs twice in one transaction: " + Key(key));
    }
    const Put* put = std::get_if<Put>(&operation);
    if (put == nullptr) continue;
    if (put->value.size() > limits.value_bytes) {
      return Status(Reason::kRequestEntityTooLarge,
                    "the value of " + Key(key) + " is longer than " +
                        std::to_string(limits.value_bytes) + " bytes");
    }
    if (put->stamp_at && *put->stamp_at > put->value.size()) {
      return Status(Reason::kBadRequest, "the stamp of " + Key(key) + " lies outside of its value");
    }
    // The far future fits into Time, but must not wrap into the past.
    if (put->ttl &&
        (*put->ttl <= Duration::zero() || *put->ttl > std::chrono::hours(24 * 365 * 50))) {
      return Status(Reason::kBadRequest, "a time to live must be above zero and below 50 years");
    }
  }
  return {};
}

}  // namespace proa::store
