#include "dns/cluster/service_records.h"

#include <algorithm>
#include <bitset>
#include <span>

#include "base/strings.h"

namespace proa::dns {
namespace service_records {

std::string_view without_underscore(std::string_view label) {
  return label.starts_with('_') ? label.substr(1) : label;
}

// Addresses of a Service that are looked at where only some of its slices have the port that was
// asked for: far more than an answer holds.
constexpr size_t kMostAddresses = 65536;

// All have the same: 100 together, and at least 1 each. Records that are left out because they
// repeat another count, too (plugin.SRV).
uint16_t weight_of(size_t records) {
  return static_cast<uint16_t>(std::max<size_t>(100 / std::max<size_t>(records, 1), 1));
}

IpAddress widen(const AddressV4& v4) {
  IpAddress address{.bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
  std::ranges::copy(v4, address.bytes.begin() + 12);
  return address;
}

AddressV4 narrow(const IpAddress& address) {
  AddressV4 v4;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), v4.begin());
  return v4;
}

// REQUIRES: the list is in order.
template <typename T>
size_t place_in(const std::vector<T>& list, const T& value) {
  return static_cast<size_t>(std::ranges::lower_bound(list, value) - list.begin());
}

}  // namespace service_records

bool ServiceRecords::Wanted::matches_one_of(const std::vector<PortFacts>& ports) const {
  return any || std::ranges::any_of(ports, [&](const PortFacts& port) { return matches(port); });
}

bool ServiceRecords::Wanted::repeats(const std::vector<PortFacts>& ports, size_t index) const {
  return std::any_of(
      ports.begin(), ports.begin() + static_cast<ptrdiff_t>(index),
      [&](const PortFacts& port) { return port.port == ports[index].port && matches(port); });
}

bool ServiceRecords::address(const IpAddress& address) {
  if (type_ != (address.is_v4() ? Type::kA : Type::kAaaa)) return false;
  return writer_.address(Section::kAnswer, asked_, zone_.ttl(), address);
}

std::span<const EndpointPlace> ServiceRecords::places_with(uint32_t hash) const {
  const auto first = std::ranges::lower_bound(entry_.places, hash, {}, &EndpointPlace::hash);
  auto last = first;
  while (last != entry_.places.end() && last->hash == hash) ++last;
  return {first, last};
}

template <typename Same>
bool ServiceRecords::repeats(const EndpointPlace& place, const Same& same) const {
  const EndpointLabel label(entry_.at(place));
  for (const EndpointPlace& other : places_with(place.hash)) {
    if (!(other < place)) return false;
    if (EndpointLabel(entry_.at(other)).view() == label.view() && same(other)) return true;
  }
  return false;
}

Found ServiceRecords::all() {
  const Wanted wanted;
  return entry_.facts->kind == ServiceFacts::Kind::kClusterIp ? cluster_ip(wanted)
                                                              : headless(wanted);
}

Found ServiceRecords::port(std::string_view port, std::string_view protocol) {
  const auto parsed = parse_protocol(service_records::without_underscore(protocol));
  const std::string_view name = service_records::without_underscore(port);
  if (!parsed || name.empty()) return {};
  const Wanted wanted{.any = false, .name = name, .protocol = *parsed};
  return entry_.facts->kind == ServiceFacts::Kind::kClusterIp ? cluster_ip(wanted)
                                                              : headless(wanted);
}

Found ServiceRecords::cluster_ip(const Wanted& wanted) {
  const ServiceFacts& facts = *entry_.facts;
  if (!wanted.matches_one_of(facts.ports)) return {};
  Found found{.exists = true, .written = false};
  if (type_ != Type::kSrv) {
    for (const IpAddress& one : facts.addresses) found.written = address(one) || found.written;
    return found;
  }
  size_t count = 0;
  for (const PortFacts& port : facts.ports) {
    if (wanted.matches(port)) count += facts.addresses.size();
  }
  const Name target = zone_.service_name({}, entry_.name, entry_.name_space);
  for (size_t i = 0; i < facts.ports.size(); ++i) {
    const PortFacts& port = facts.ports[i];
    if (port.port == 0 || !wanted.matches(port) || wanted.repeats(facts.ports, i)) continue;
    found.written |= writer_.srv(
        Section::kAnswer, asked_, zone_.ttl(),
        {.weight = service_records::weight_of(count), .port = port.port, .target = target});
  }
  if (!found.written) return found;
  for (const IpAddress& one : facts.addresses) {
    writer_.address(Section::kAdditional, target, zone_.ttl(), one);
  }
  return found;
}

Found ServiceRecords::headless(const Wanted& wanted) {
  Found found;
  found.exists = std::ranges::any_of(entry_.slices, [&](const ServiceEntry::Slice& slice) {
    return !slice.facts.endpoints.empty() && wanted.matches_one_of(slice.facts.ports);
  });
  if (!found.exists) return found;
  if (type_ == Type::kSrv) {
    found.written = services(wanted);
  } else if (type_ == Type::kA || type_ == Type::kAaaa) {
    found.written = addresses(wanted);
  }
  return found;
}

// From lists without duplicates: one question starts at one address, the next at another.
template <typename Wants>
bool ServiceRecords::addresses_from(size_t count, const Wants& wants) {
  bool any = false;
  for (size_t i = 0; i < count && !writer_.truncated(); ++i) {
    const size_t at = (i + rotation_) % count;
    if (!wants(at)) continue;
    any |= address(type_ == Type::kA ? service_records::widen(entry_.v4[at]) : entry_.v6[at]);
  }
  return any;
}

bool ServiceRecords::addresses(const Wanted& wanted) {
  const size_t count = type_ == Type::kA ? entry_.v4.size() : entry_.v6.size();
  const auto matches = [&](const ServiceEntry::Slice& slice) {
    return wanted.matches_one_of(slice.facts.ports);
  };
  if (std::ranges::all_of(entry_.slices, matches)) {
    return addresses_from(count, [](size_t) { return true; });
  }
  // An address may have several hostnames, and then is in several places.
  std::bitset<service_records::kMostAddresses> marked;
  for (const ServiceEntry::Slice& slice : entry_.slices) {
    if (!matches(slice)) continue;
    for (const EndpointFacts& endpoint : slice.facts.endpoints) {
      const IpAddress& own = endpoint.address;
      if (own.is_v4() != (type_ == Type::kA)) continue;
      const size_t at = own.is_v4()
                            ? service_records::place_in(entry_.v4, service_records::narrow(own))
                            : service_records::place_in(entry_.v6, own);
      if (at < marked.size()) marked.set(at);
    }
  }
  return addresses_from(count, [&](size_t at) { return at < marked.size() && marked.test(at); });
}

// SRV records of one endpoint, except those that an endpoint before it has.
bool ServiceRecords::srv_of(const EndpointPlace& place, const Wanted& wanted, uint16_t weight,
                            NameView target) {
  bool any = false;
  const std::vector<PortFacts>& ports = entry_.slices[place.slice].facts.ports;
  for (size_t i = 0; i < ports.size(); ++i) {
    const PortFacts& port = ports[i];
    if (port.port == 0 || !wanted.matches(port) || wanted.repeats(ports, i)) continue;
    const auto same = [&](const EndpointPlace& other) {
      return std::ranges::any_of(entry_.slices[other.slice].facts.ports, [&](const PortFacts& one) {
        return one.port == port.port && wanted.matches(one);
      });
    };
    if (repeats(place, same)) continue;
    any |= writer_.srv(Section::kAnswer, asked_, zone_.ttl(),
                       {.weight = weight, .port = port.port, .target = target});
  }
  return any;
}

bool ServiceRecords::services(const Wanted& wanted) {
  size_t count = 0;
  for (const ServiceEntry::Slice& slice : entry_.slices) {
    const auto ports = std::ranges::count_if(
        slice.facts.ports, [&](const PortFacts& port) { return wanted.matches(port); });
    count += static_cast<size_t>(ports) * slice.facts.endpoints.size();
  }
  const uint16_t weight = service_records::weight_of(count);
  const auto target_of = [&](const EndpointPlace& place) {
    return zone_.service_name(EndpointLabel(entry_.at(place)).view(), entry_.name,
                              entry_.name_space);
  };
  const auto matches = [&](const EndpointPlace& place) {
    return wanted.matches_one_of(entry_.slices[place.slice].facts.ports);
  };
  const size_t places = entry_.places.size();
  const auto at = [&](size_t i) { return entry_.places[(i + rotation_) % places]; };
  bool any = false;
  for (size_t i = 0; i < places && !writer_.truncated(); ++i) {
    any |= srv_of(at(i), wanted, weight, target_of(at(i)));
  }
  for (size_t i = 0; any && i < places && !writer_.truncated(); ++i) {
    const EndpointPlace place = at(i);
    if (!matches(place)) continue;
    const IpAddress& own = entry_.at(place).address;
    if (repeats(place, [&](const EndpointPlace& other) {
          return matches(other) && entry_.at(other).address == own;
        })) {
      continue;
    }
    if (!writer_.address(Section::kAdditional, target_of(place), zone_.ttl(), own)) break;
  }
  return any;
}

bool ServiceRecords::above_a_port(std::string_view label) const {
  const auto protocol = label.starts_with('_') ? parse_protocol(label.substr(1)) : std::nullopt;
  if (!protocol) return false;
  const auto has_one = [&](const std::vector<PortFacts>& ports) {
    return std::ranges::any_of(ports, [&](const PortFacts& port) {
      return port.protocol == *protocol && !port.name.empty();
    });
  };
  if (entry_.facts->kind == ServiceFacts::Kind::kClusterIp) return has_one(entry_.facts->ports);
  return std::ranges::any_of(entry_.slices, [&](const ServiceEntry::Slice& slice) {
    return !slice.facts.endpoints.empty() && has_one(slice.facts.ports);
  });
}

Found ServiceRecords::endpoint(std::string_view label) {
  Found found;
  size_t count = 0;
  const auto places = places_with(hash_label(label));
  const auto named = [&](const EndpointPlace& place) {
    return EndpointLabel(entry_.at(place)).view() == label;
  };
  for (const EndpointPlace& place : places) {
    if (!named(place)) continue;
    found.exists = true;
    count += entry_.slices[place.slice].facts.ports.size();
  }
  if (!found.exists) {
    found.exists = above_a_port(label);
    return found;
  }
  const Wanted wanted;
  for (const EndpointPlace& place : places) {
    if (!named(place)) continue;
    const IpAddress& own = entry_.at(place).address;
    if (type_ == Type::kSrv) {
      found.written |= srv_of(place, wanted, service_records::weight_of(count), asked_);
    } else if (!repeats(place, [&](const EndpointPlace& other) {
                 return entry_.at(other).address == own;
               })) {
      found.written |= address(own);
    }
  }
  if (type_ != Type::kSrv || !found.written) return found;
  for (const EndpointPlace& place : places) {
    const IpAddress& own = entry_.at(place).address;
    if (!named(place) || repeats(place, [&](const EndpointPlace& other) {
          return entry_.at(other).address == own;
        })) {
      continue;
    }
    writer_.address(Section::kAdditional, asked_, zone_.ttl(), own);
  }
  return found;
}

bool write_reverse(const Zone& zone, const ServiceEntry& entry, const IpAddress& address,
                   NameView asked, Writer& writer) {
  bool any = false;
  uint32_t last = 0;
  for (const EndpointPlace& place : entry.places) {
    const EndpointFacts& endpoint = entry.at(place);
    if (endpoint.address != address) continue;
    const EndpointLabel label(endpoint);
    // Slices of one pod are next to each other, since places are in the order of labels.
    if (any && last == place.hash) continue;
    last = place.hash;
    any |= writer.name_record(Section::kAnswer, asked, Type::kPtr, zone.ttl(),
                              zone.service_name(label.view(), entry.name, entry.name_space));
  }
  return any;
}

std::string describe(const ServiceEntry& entry) {
  std::string text = "Service " + entry.name_space + "/" + entry.name;
  switch (entry.facts->kind) {
    case ServiceFacts::Kind::kExternal:
      return text + " is an ExternalName for " + NameView::of_wire(entry.facts->external).str();
    case ServiceFacts::Kind::kClusterIp:
      for (size_t i = 0; i < entry.facts->addresses.size(); ++i) {
        text += (i == 0 ? " has the cluster IP " : " and ") + entry.facts->addresses[i].str();
      }
      return text;
    case ServiceFacts::Kind::kHeadless:
      return text + " is headless, with " + std::to_string(entry.places.size()) +
             (entry.places.size() == 1 ? " address of " : " addresses of ") +
             (entry.facts->publishes_not_ready
                  ? "endpoints, ready or not (publishNotReadyAddresses)"
                  : "ready endpoints");
  }
  return text;
}

}  // namespace proa::dns
