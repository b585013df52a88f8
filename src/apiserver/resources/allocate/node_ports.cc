#include "apiserver/resources/allocate/node_ports.h"

#include <algorithm>

#include "apiserver/resources/allocate/choose.h"
#include "base/strings.h"
#include "json/print.h"

namespace proa::apiserver {
namespace node_ports {

constexpr std::string_view kPrefix = "/registry/ranges/servicenodeports/";
// Upstream's division of ports between explicit and automatic allocation.
constexpr uint64_t kKeptPart = 32;
constexpr uint64_t kMaxKept = 128;

std::string key(int64_t port) { return std::string(kPrefix) + std::to_string(port); }

std::optional<int64_t> port_of(std::string_view key) {
  if (!key.starts_with(kPrefix)) return std::nullopt;
  return parse_int(key.substr(kPrefix.size()));
}

std::string value(const ServiceName& owner) {
  std::string text = R"({"namespace":)";
  json::print_string_to(text, owner.name_space);
  text += R"(,"name":)";
  json::print_string_to(text, owner.name);
  return text + "}";
}

// Taken by this commit for another port of the same Service.
bool takes(const store::Txn& txn, const std::string& key) {
  return std::any_of(txn.compares.begin(), txn.compares.end(),
                     [&](const store::Compare& compare) { return compare.key == key; });
}

}  // namespace node_ports

Result<bool> NodePorts::is_taken(int64_t port, const store::Txn& txn) const {
  const std::string key = node_ports::key(port);
  return node_ports::takes(txn, key) || TRY(store_.get(key)) != nullptr;
}

Result<std::vector<uint64_t>> NodePorts::all_taken(const store::Txn& txn) const {
  std::vector<uint64_t> numbers;
  const auto add = [&](std::string_view key) {
    const std::optional<int64_t> port = node_ports::port_of(key);
    if (port && range_.contains(*port)) {
      numbers.push_back(static_cast<uint64_t>(*port - range_.first));
    }
  };
  const store::RangeResult found =
      TRY(store_.range({.keys = store::KeyRange::prefix(node_ports::kPrefix)}));
  for (const store::EntryPtr& entry : found.entries) add(entry->key());
  for (const store::Compare& compare : txn.compares) add(compare.key);
  return numbers;
}

void NodePorts::take(int64_t port, const ServiceName& owner, store::Txn& txn) const {
  std::string key = node_ports::key(port);
  txn.compares.push_back({key, {}});
  txn.operations.push_back(
      store::Put{.key = std::move(key), .value = Bytes(node_ports::value(owner))});
}

Result<int64_t> NodePorts::choose(const ServiceName& owner, store::Txn& txn) const {
  const auto size = static_cast<uint64_t>(range_.last - range_.first + 1);
  const NumberRange numbers{
      .size = size, .kept = numbers_to_keep(size, node_ports::kKeptPart, node_ports::kMaxKept)};
  const auto port_at = [&](uint64_t number) { return range_.first + static_cast<int64_t>(number); };
  const Taken taken{.has = [&](uint64_t number) { return is_taken(port_at(number), txn); },
                    .all = [&] { return all_taken(txn); }};
  const std::optional<uint64_t> number = TRY(choose_free(numbers, taken, random_));
  if (!number) return Status(Reason::kInternalError, "range is full");
  take(port_at(*number), owner, txn);
  return port_at(*number);
}

Result<void> NodePorts::reserve(int64_t port, const ServiceName& owner, store::Txn& txn) const {
  if (!range_.contains(port)) {
    return Status(
        Reason::kInvalid,
        "provided port is not in the valid range. The range of valid ports is " + range_.str());
  }
  if (TRY(is_taken(port, txn))) {
    return Status(Reason::kInvalid, "provided port is already allocated");
  }
  take(port, owner, txn);
  return {};
}

Result<void> NodePorts::release(int64_t port, const ServiceName& owner, store::Txn& txn) const {
  const std::string key = node_ports::key(port);
  const store::EntryPtr entry = TRY(store_.get(key));
  if (entry == nullptr || entry->value() != node_ports::value(owner)) return {};
  // Ports of a Service with different protocols may share a node port.
  if (node_ports::takes(txn, key)) return {};
  txn.compares.push_back({key, entry->mod_revision()});
  txn.operations.push_back(store::Delete{key});
  return {};
}

}  // namespace proa::apiserver
