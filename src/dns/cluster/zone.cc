#include "dns/cluster/zone.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"

namespace proa::dns {
namespace zone {

constexpr uint32_t kMostSoaTtl = 300;
// LABEL.SERVICE.NAMESPACE.svc: labels of 63 bytes, as long as they can be.
constexpr size_t kBelow = 3 * (kMostLabel + 1) + 4;

int nibble(std::string_view label) {
  if (label.size() != 1) return -1;
  const char c = label.front();
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<IpAddress> v4_of(std::span<const std::string_view> labels) {
  if (labels.size() != 4) return std::nullopt;
  IpAddress address{.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
  for (size_t i = 0; i < 4; ++i) {
    const std::string_view label = labels[i];
    if (label.size() > 1 && label.front() == '0') return std::nullopt;
    const auto number = parse_uint(label);
    if (!number || *number > 0xff) return std::nullopt;
    address.bytes[15 - i] = static_cast<uint8_t>(*number);
  }
  return address;
}

std::optional<IpAddress> v6_of(std::span<const std::string_view> labels) {
  if (labels.size() != 32) return std::nullopt;
  IpAddress address;
  for (size_t i = 0; i < 32; ++i) {
    const int digit = nibble(labels[31 - i]);
    if (digit < 0) return std::nullopt;
    address.bytes[i / 2] = static_cast<uint8_t>(address.bytes[i / 2] << 4 | digit);
  }
  return address;
}

}  // namespace zone

Result<Zone> Zone::make(const Options& options) {
  const auto name = Name::parse(options.domain);
  if (!name || name->view().is_root() || name->size() + zone::kBelow > kMostName) {
    return Status(Reason::kInvalid, "cluster domain \"" + std::string(options.domain) +
                                        "\" is not a domain name, or too long");
  }
  Zone zone;
  zone.name_ = name->lowered();
  zone.ttl_ = options.ttl;
  zone.pod_names_ = options.pod_names;
  zone.servers_ = options.servers;
  const auto below = [&](std::string_view prefix) {
    Name result = Name::parse(prefix).value_or(Name());
    result.append(zone.name_.view());
    return result;
  };
  zone.services_ = below("svc");
  zone.name_server_ = below("ns.dns");
  zone.mailbox_ = below("hostmaster");
  return zone;
}

Name Zone::service_name(std::string_view label, std::string_view service,
                        std::string_view name_space) const {
  Name name;
  const bool fits = (label.empty() || name.append(label)) && name.append(service) &&
                    name.append(name_space) && name.append(services_.view());
  if (!fits) name.clear();
  return name;
}

bool Zone::write_soa(Writer& writer, Section section, uint32_t serial) const {
  // The numbers are CoreDNS's; nobody transfers the zone.
  const Soa soa{.primary = name_server_,
                .mailbox = mailbox_,
                .serial = serial,
                .refresh = 7200,
                .retry = 1800,
                .expire = 86400,
                .minimum = ttl_};
  return writer.soa(section, name_, std::min(ttl_, zone::kMostSoaTtl), soa);
}

std::optional<IpAddress> reverse_address(NameView name) {
  constexpr size_t kMost = 34;
  std::array<std::string_view, kMost> labels;
  size_t count = 0;
  for (; !name.is_root(); name = name.parent()) {
    if (count == kMost) return std::nullopt;
    labels[count++] = name.label();
  }
  if (count < 3 || !equals_ignoring_case(labels[count - 1], "arpa")) return std::nullopt;
  const std::span<const std::string_view> digits(labels.data(), count - 2);
  if (equals_ignoring_case(labels[count - 2], "in-addr")) return zone::v4_of(digits);
  if (equals_ignoring_case(labels[count - 2], "ip6")) return zone::v6_of(digits);
  return std::nullopt;
}

Name reverse_name(const IpAddress& address) {
  std::string text;
  if (address.is_v4()) {
    for (size_t i = 16; i > 12; --i) text += std::to_string(address.bytes[i - 1]) + ".";
    return Name::parse(text + "in-addr.arpa").value_or(Name());
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 16; i > 0; --i) {
    const uint8_t byte = address.bytes[i - 1];
    text += {kDigits[byte & 0xfU], '.', kDigits[byte >> 4U], '.'};
  }
  return Name::parse(text + "ip6.arpa").value_or(Name());
}

}  // namespace proa::dns
