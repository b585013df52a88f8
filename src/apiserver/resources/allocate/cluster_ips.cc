#include "apiserver/resources/allocate/cluster_ips.h"

#include "api/object/edit.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/allocate/network.h"
#include "apiserver/resources/allocate/service_ranges.h"

namespace proa::apiserver {
namespace cluster_ips {

using api::Edit;
using api::View;

constexpr std::string_view kGroup = "networking.k8s.io";

Result<bool> is_owner(const store::EntryPtr& entry, const ServiceName& owner) {
  const json::Document document = TRY(object_of(entry)->document());
  const View parent = View(document.root())["spec"]["parentRef"];
  return parent["resource"].text() == "services" && parent["group"].text().empty() &&
         parent["namespace"].text() == owner.name_space && parent["name"].text() == owner.name;
}

Result<std::vector<uint64_t>> all_taken(const store::Store& store, const std::string& prefix,
                                        const AddressRange& range) {
  const store::RangeResult found = TRY(store.range({.keys = store::KeyRange::prefix(prefix)}));
  std::vector<uint64_t> numbers;
  for (const store::EntryPtr& entry : found.entries) {
    const auto address = parse_ip(entry->key().substr(prefix.size()));
    const auto number = address ? range.number_of(*address) : std::nullopt;
    if (number) numbers.push_back(*number);
  }
  return numbers;
}

void require(const store::Compare& compare, store::Txn& txn) {
  for (const store::Compare& present : txn.compares) {
    if (present.key == compare.key) return;
  }
  txn.compares.push_back(compare);
}

}  // namespace cluster_ips

ClusterIps::ClusterIps(const store::Store& store, const api::Schema& schema, const Clock& clock,
                       Random& random)
    : store_(store),
      addresses_(*schema.find_resource(cluster_ips::kGroup, "v1", "ipaddresses")),
      service_cidrs_(*schema.find_resource(cluster_ips::kGroup, "v1", "servicecidrs")),
      clock_(clock),
      random_(random) {}

std::string ClusterIps::key(const IpAddress& address) const {
  return key_of(addresses_, "", address.str());
}

Result<store::Put> ClusterIps::make_object(const IpAddress& address,
                                           const ServiceName& owner) const {
  json::Document document({}, json::Value::object());
  const api::Edit object(document);
  object.set("kind", addresses_.type->name);
  object.set("apiVersion", addresses_.group_version());
  const api::Edit metadata = object.object("metadata");
  metadata.set("name", address.str());
  metadata.set("uid", make_uid(random_));
  metadata.set("creationTimestamp", format_time(clock_.now()));
  const api::Edit labels = metadata.object("labels");
  labels.set("ipaddress.kubernetes.io/ip-family", family_of(address));
  labels.set("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");
  const api::Edit parent = object.object("spec").object("parentRef");
  parent.set("resource", "services");
  parent.set("namespace", owner.name_space);
  parent.set("name", owner.name);
  StoredText text = TRY(encode_for_store(std::move(document), *addresses_.type));
  return store::Put{
      .key = key(address), .value = Bytes(std::move(text.json)), .stamp_at = text.stamp_at};
}

Result<void> ClusterIps::take(const IpAddress& address, const ServiceName& owner,
                              store::Txn& txn) const {
  store::Put put = TRY(make_object(address, owner));
  txn.compares.push_back({put.key, {}});
  txn.operations.push_back(std::move(put));
  return {};
}

Result<IpAddress> ClusterIps::choose(std::string_view family, const ServiceName& owner,
                                     store::Txn& txn, bool dry_run) const {
  const Steady begin = clock_.steady();
  const std::vector<ServiceRange> ranges = TRY(read_service_ranges(store_, service_cidrs_));
  for (const ServiceRange& candidate : ranges) {
    const AddressRange& range = candidate.range;
    if (!candidate.usable || family_of(range.prefix().address) != family) continue;
    const Taken taken{
        .has = [&](uint64_t number) -> Result<bool> {
          return TRY(store_.get(key(range.at(number)))) != nullptr;
        },
        .all = [&] { return cluster_ips::all_taken(store_, prefix_of(addresses_, ""), range); }};
    const std::optional<uint64_t> number = TRY(choose_free(range.numbers(), taken, random_));
    if (!number) {
      if (!dry_run) metrics_.count_failure(range.prefix().str(), AllocationScope::kDynamic);
      continue;
    }
    cluster_ips::require(candidate.unchanged, txn);
    const IpAddress address = range.at(*number);
    TRY(take(address, owner, txn));
    if (!dry_run) {
      metrics_.count(range.prefix().str(), AllocationScope::kDynamic, clock_.steady() - begin);
    }
    return address;
  }
  return Status(Reason::kInternalError, "range is full");
}

Result<void> ClusterIps::reserve(const IpAddress& address, const ServiceName& owner,
                                 store::Txn& txn, bool dry_run) const {
  const Steady begin = clock_.steady();
  const std::vector<ServiceRange> ranges = TRY(read_service_ranges(store_, service_cidrs_));
  for (const ServiceRange& candidate : ranges) {
    if (!candidate.usable || !candidate.range.number_of(address)) continue;
    const std::string cidr = candidate.range.prefix().str();
    if (TRY(store_.get(key(address))) != nullptr) {
      if (!dry_run) metrics_.count_failure(cidr, AllocationScope::kStatic);
      return Status(Reason::kInvalid, "provided IP is already allocated");
    }
    cluster_ips::require(candidate.unchanged, txn);
    TRY(take(address, owner, txn));
    if (!dry_run) metrics_.count(cidr, AllocationScope::kStatic, clock_.steady() - begin);
    return {};
  }
  return Status(Reason::kInvalid, "the provided network does not match the current range");
}

void ClusterIps::measure() const {
  const Result<std::vector<ServiceRange>> ranges = read_service_ranges(store_, service_cidrs_);
  if (!ranges) return;
  std::vector<RangeUse> use;
  for (const ServiceRange& one : *ranges) {
    const auto taken = cluster_ips::all_taken(store_, prefix_of(addresses_, ""), one.range);
    if (!taken) return;
    use.push_back({.range = one.range.prefix().str(),
                   .taken = taken->size(),
                   .free = one.range.numbers().size - taken->size()});
  }
  metrics_.set_use(std::move(use));
}

Result<void> ClusterIps::keep(const IpAddress& address, const ServiceName& owner,
                              store::Txn& txn) const {
  if (TRY(store_.get(key(address))) != nullptr) return {};
  return take(address, owner, txn);
}

Result<void> ClusterIps::release(const IpAddress& address, const ServiceName& owner,
                                 store::Txn& txn) const {
  const store::EntryPtr entry = TRY(store_.get(key(address)));
  if (entry == nullptr || !TRY(cluster_ips::is_owner(entry, owner))) return {};
  txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
  txn.operations.push_back(store::Delete{std::string(entry->key())});
  return {};
}

}  // namespace proa::apiserver
