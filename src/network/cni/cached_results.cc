#include "network/cni/cached_results.h"

#include <algorithm>
#include <span>

#include "json/parse.h"
#include "network/cni/cni_folder.h"

namespace proa::network {
namespace cached_results {

// Mostly some kilobytes. Annotations and ports of the pod are in it, so whoever makes the pod could
// make it longer than a narrow bound; these are up to some megabytes with all that JSON escapes.
constexpr size_t kMostBytes = size_t{16} << 20;
// More than a node can have pods. Files of pods that ended with the machine may stay.
constexpr size_t kMostFiles = 16384;
constexpr size_t kMostParts = 64;  // interfaces or addresses of a pod
constexpr size_t kMostName = 15;   // of a link

const json::Value* member(const json::Value* value, std::string_view key) {
  if (value == nullptr || value->kind() != json::Kind::kObject) return nullptr;
  return value->find(key);
}

std::string_view text_of(const json::Value* value) {
  if (value == nullptr || value->kind() != json::Kind::kString) return {};
  return value->as_string();
}

std::span<const json::Value> items_of(const json::Value* value) {
  if (value == nullptr || value->kind() != json::Kind::kArray) return {};
  return value->items().first(std::min(value->items().size(), kMostParts));
}

bool is_link_name(std::string_view name) { return !name.empty() && name.size() <= kMostName; }

// The index of the pod's interface.
std::optional<size_t> read_interfaces(const json::Value* result, std::string_view own_name,
                                      AttachedPod& pod) {
  std::optional<size_t> own;
  const auto interfaces = items_of(member(result, "interfaces"));
  for (size_t i = 0; i < interfaces.size(); ++i) {
    const std::string_view name = text_of(member(&interfaces[i], "name"));
    if (text_of(member(&interfaces[i], "sandbox")).empty()) {
      if (is_link_name(name)) pod.links.emplace(name);
      continue;
    }
    const auto mac = netlink::parse_mac(text_of(member(&interfaces[i], "mac")));
    if (name != own_name || !mac) continue;
    pod.mac = *mac;
    own = i;
  }
  return own;
}

// The last address of a network, and the first one, which older kernels take for the same.
void add_broadcasts(const IpPrefix& prefix, std::set<IpAddress>& into) {
  constexpr unsigned kTwoAddresses = 31;  // RFC 3021: both are hosts
  if (prefix.v6 || prefix.bits >= kTwoAddresses) return;
  IpAddress last = prefix.base();
  into.insert(last);
  constexpr unsigned kBefore4 = 96;  // bits
  for (unsigned bit = kBefore4 + prefix.bits; bit < kBefore4 + 32; ++bit) {
    last.bytes[bit / 8] |= static_cast<uint8_t>(0x80U >> bit % 8);
  }
  into.insert(last);
}

void read_addresses(const json::Value* result, size_t own, AttachedPod& pod) {
  for (const json::Value& one : items_of(member(result, "ips"))) {
    const json::Value* of = member(&one, "interface");
    const bool other = of != nullptr && of->kind() == json::Kind::kInt &&
                       of->as_int() != static_cast<int64_t>(own);
    const auto prefix = parse_prefix(text_of(member(&one, "address")));
    if (!prefix || other) continue;
    pod.addresses.push_back(prefix->address);
    add_broadcasts(*prefix, pod.broadcasts);
  }
}

}  // namespace cached_results

std::optional<AttachedPod> read_cached_result(std::string_view text, std::string_view network) {
  using namespace cached_results;  // NOLINT: this unit's own
  const auto parsed = json::parse(text, {.max_size = kMostBytes});
  if (!parsed.ok()) return std::nullopt;
  const json::Value* root = &parsed->root();
  if (text_of(member(root, "networkName")) != network) return std::nullopt;
  const json::Value* result = member(root, "result");
  AttachedPod pod;
  const auto own = read_interfaces(result, text_of(member(root, "ifName")), pod);
  if (!own) return std::nullopt;
  read_addresses(result, *own, pod);
  if (pod.links.empty() || pod.addresses.empty()) return std::nullopt;
  return pod;
}

Result<void> CachedResults::refresh(const std::set<std::string>& links) {
  auto names = files_.list(folder_);
  if (names.is(Reason::kNotFound)) {
    names = std::vector<std::string>();
  } else if (!names.ok()) {
    return names.status();
  }
  std::erase_if(*names, [&](const std::string& name) { return !name.starts_with(network_ + "-"); });
  std::erase_if(pods_, [&](const auto& known) {
    const auto is_link = [&](const std::string& link) { return links.contains(link); };
    return !std::ranges::binary_search(*names, known.first) &&
           std::ranges::none_of(known.second.links, is_link);
  });
  for (const std::string& name : *names) {
    if (pods_.contains(name)) continue;
    if (pods_.size() >= cached_results::kMostFiles) {
      return Status(Reason::kRequestEntityTooLarge,
                    folder_ + " has files of too many pods; remove those that ended");
    }
    const auto text = read_regular(files_, folder_, name, cached_results::kMostBytes);
    if (!text.ok()) continue;
    if (auto pod = read_cached_result(*text, network_)) pods_.emplace(name, std::move(*pod));
  }
  return {};
}

}  // namespace proa::network
