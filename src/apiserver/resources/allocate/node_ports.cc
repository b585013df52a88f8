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

// The port that a dry run gets: beyond those that the Service asks for.
int64_t pretended(const PortCommit& commit) {
  constexpr int64_t kFirst = 32768;
  return commit.taken.empty() ? kFirst : *commit.taken.rbegin() + 1;
}

}  // namespace node_ports

Result<bool> NodePorts::is_taken(int64_t port, const PortCommit& commit) const {
  return commit.taken.contains(port) || TRY(store_.get(node_ports::key(port))) != nullptr;
}

Result<std::vector<uint64_t>> NodePorts::all_taken(const PortCommit& commit) const {
  std::vector<uint64_t> numbers;
  const auto add = [&](std::optional<int64_t> port) {
    if (port && range_.contains(*port)) {
      numbers.push_back(static_cast<uint64_t>(*port - range_.first));
    }
  };
  const store::RangeResult found =
      TRY(store_.range({.keys = store::KeyRange::prefix(node_ports::kPrefix)}));
  for (const store::EntryPtr& entry : found.entries) add(node_ports::port_of(entry->key()));
  for (const int64_t port : commit.taken) add(port);
  return numbers;
}

void NodePorts::take(int64_t port, const ServiceName& owner, PortCommit& commit) {
  std::string key = node_ports::key(port);
  commit.taken.insert(port);
  commit.txn.compares.push_back({key, {}});
  commit.txn.operations.push_back(
      store::Put{.key = std::move(key), .value = Bytes(node_ports::value(owner))});
}

Result<int64_t> NodePorts::choose(const ServiceName& owner, PortCommit& commit,
                                  bool dry_run) const {
  if (dry_run) {
    const int64_t port = node_ports::pretended(commit);
    take(port, owner, commit);
    return port;
  }
  const NumberRange numbers{
      .size = size(), .kept = numbers_to_keep(size(), node_ports::kKeptPart, node_ports::kMaxKept)};
  const auto port_at = [&](uint64_t number) { return range_.first + static_cast<int64_t>(number); };
  const Taken taken{.has = [&](uint64_t number) { return is_taken(port_at(number), commit); },
                    .all = [&] { return all_taken(commit); }};
  const std::optional<uint64_t> number = TRY(choose_free(numbers, taken, random_));
  if (!number) {
    metrics_.count_failure(AllocationScope::kDynamic);
    return Status(Reason::kInternalError, "range is full");
  }
  take(port_at(*number), owner, commit);
  metrics_.count(AllocationScope::kDynamic);
  return port_at(*number);
}

Result<void> NodePorts::reserve(int64_t port, const ServiceName& owner, PortCommit& commit,
                                bool dry_run) const {
  if (!dry_run && !range_.contains(port)) {
    metrics_.count_failure(AllocationScope::kStatic);
    return Status(
        Reason::kInvalid,
        "provided port is not in the valid range. The range of valid ports is " + range_.str());
  }
  if (TRY(is_taken(port, commit))) {
    if (!dry_run) metrics_.count_failure(AllocationScope::kStatic);
    return Status(Reason::kInvalid, "provided port is already allocated");
  }
  take(port, owner, commit);
  if (!dry_run) metrics_.count(AllocationScope::kStatic);
  return {};
}

void NodePorts::measure() const {
  store::Txn txn;
  const Result<std::vector<uint64_t>> taken = all_taken({.txn = txn});
  if (taken) metrics_.set_use(taken->size(), size() - taken->size());
}

Result<void> NodePorts::release(int64_t port, const ServiceName& owner, PortCommit& commit) const {
  const std::string key = node_ports::key(port);
  const store::EntryPtr entry = TRY(store_.get(key));
  if (entry == nullptr || entry->value() != node_ports::value(owner)) return {};
  // Ports of a Service with different protocols may share a node port.
  if (!commit.taken.insert(port).second) return {};
  commit.txn.compares.push_back({key, entry->mod_revision()});
  commit.txn.operations.push_back(store::Delete{key});
  return {};
}

}  // namespace proa::apiserver
