#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dns/cluster/index.h"
#include "dns/cluster/zone.h"
#include "dns/message/writer.h"

namespace proa::dns {

// Whether a name exists, and whether records of the type that was asked for were written.
struct Found {
  bool exists = false;
  bool written = false;
};

// The records of one Service for one question: A, AAAA and SRV; other types have none.
// REQUIRES: the entry has facts, and is not an ExternalName.
class ServiceRecords {
 public:
  ServiceRecords(const Zone& zone, const ServiceEntry& entry, NameView asked, Type type,
                 uint32_t rotation, Writer& writer)
      : zone_(zone),
        entry_(entry),
        asked_(asked),
        type_(type),
        rotation_(rotation),
        writer_(writer) {}

  // SERVICE: all addresses, all ports.
  Found all();
  // HOSTNAME.SERVICE
  Found endpoint(std::string_view label);
  // _PORT._PROTOCOL.SERVICE; underscores may be missing, as with CoreDNS.
  Found port(std::string_view port, std::string_view protocol);

 private:
  // What of the ports is wanted.
  struct Wanted {
    bool any = true;
    std::string_view name = {};
    Protocol protocol = Protocol::kTcp;

    bool matches(const PortFacts& port) const {
      return any || (port.name == name && port.protocol == protocol);
    }
    bool matches_one_of(const std::vector<PortFacts>& ports) const;
    // Whether a wanted port before that one has its number: with another protocol, it makes the
    // same record.
    bool repeats(const std::vector<PortFacts>& ports, size_t index) const;
  };

  Found cluster_ip(const Wanted& wanted);
  Found headless(const Wanted& wanted);
  bool addresses(const Wanted& wanted);
  template <typename Wants>
  bool addresses_from(size_t count, const Wants& wants);
  bool services(const Wanted& wanted);
  bool srv_of(const EndpointPlace& place, const Wanted& wanted, uint16_t weight, NameView target);
  bool address(const IpAddress& address);
  // Whether it is _PROTOCOL, and there are names of ports below it: then it exists without a
  // record.
  bool above_a_port(std::string_view label) const;
  // Whether an endpoint before that one has the same label, and makes the same record.
  template <typename Same>
  bool repeats(const EndpointPlace& place, const Same& same) const;
  // Endpoints whose labels have that hash.
  std::span<const EndpointPlace> places_with(uint32_t hash) const;

  const Zone& zone_;
  const ServiceEntry& entry_;
  const NameView asked_;
  const Type type_;
  const uint32_t rotation_;
  Writer& writer_;
};

// PTR records for an address of an endpoint; whether there were any.
bool write_reverse(const Zone& zone, const ServiceEntry& entry, const IpAddress& address,
                   NameView asked, Writer& writer);

// "Service default/web, headless, with 3 ready endpoints": for people.
std::string describe(const ServiceEntry& entry);

}  // namespace proa::dns
