#include "dns/cluster/lookup.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/strings.h"
#include "dns/cluster/service_records.h"

namespace proa::dns {
namespace lookup_names {

constexpr std::string_view kVersion = "1.1.0";
constexpr uint32_t kVersionTtl = 28800;
// CNAMEs from Service to Service (maxCnameChainLength).
constexpr int kMostChain = 10;
// PORT.PROTOCOL.SERVICE.NAMESPACE.svc; names with more labels do not exist.
constexpr size_t kMostLabels = 5;

struct Labels {
  std::array<std::string_view, kMostLabels + 1> at;
  size_t count = 0;

  // The label before the zone is 0, the one before that 1.
  std::string_view from_zone(size_t i) const { return at[count - 1 - i]; }
};

// Labels before the zone. More than there may be are cut. REQUIRES: the name is within the zone.
Labels labels_before(NameView name, NameView zone) {
  Labels labels;
  while (name.size() > zone.size() && labels.count < labels.at.size()) {
    labels.at[labels.count++] = name.label();
    name = name.parent();
  }
  if (name.size() > zone.size()) labels.count = labels.at.size() + 1;
  return labels;
}

bool is_address(Type type) { return type == Type::kA || type == Type::kAaaa; }

// 10-0-0-1 and fd00--1: dashes for dots or colons.
std::optional<IpAddress> pod_address(std::string_view label) {
  constexpr size_t kLongest = 45;
  if (label.size() > kLongest) return std::nullopt;
  std::array<char, kLongest> text;
  const bool v4 = std::ranges::count(label, '-') == 3 && label.find("--") == std::string_view::npos;
  std::ranges::replace_copy(label, text.begin(), '-', v4 ? '.' : ':');
  IpNotation notation;
  const auto address = parse_ip({text.data(), label.size()}, &notation);
  return notation.leading_zeros ? std::nullopt : address;
}

}  // namespace lookup_names

namespace {

// One question.
class Lookup {
 public:
  Lookup(const Index& index, const Zone& zone, const LookupRequest& request, Writer& writer,
         Name& external)
      : index_(index),
        zone_(zone),
        request_(request),
        type_(request.question.type),
        writer_(writer),
        external_(external) {}

  Outcome run() {
    const NameView name = request_.question.name;
    if (type_ == Type::kPtr && !name.within(zone_.name())) return reverse(name);
    if (!name.within(zone_.name())) {
      because("the name is not within the cluster's domain " + zone_.name().str());
      return Outcome::kNotOurs;
    }
    if (type_ == Type::kAxfr || type_ == Type::kIxfr) return Outcome::kRefused;
    Outcome outcome = within_zone(name);
    // Before the lists are complete, nobody knows what does not exist.
    if (outcome == Outcome::kNameError && !index_.synced()) return Outcome::kNotReady;
    if (outcome == Outcome::kNoData || outcome == Outcome::kNameError) {
      zone_.write_soa(writer_, Section::kAuthority, index_.serial());
    }
    return outcome;
  }

 private:
  template <typename Text>
  void because(Text&& text) {
    if (request_.reasons != nullptr) request_.reasons->push_back(std::forward<Text>(text));
  }
  // The same where building the text costs something.
  template <typename Make>
  void explain(const Make& make) {
    if (request_.reasons != nullptr) request_.reasons->push_back(make());
  }
  static Outcome answered(bool any) { return any ? Outcome::kAnswer : Outcome::kNoData; }

  Outcome reverse(NameView name);
  Outcome within_zone(NameView asked);
  Outcome apex(NameView asked);
  Outcome special(NameView asked, const lookup_names::Labels& labels);
  Outcome pod(NameView asked, const lookup_names::Labels& labels);
  Outcome service(NameView asked, const lookup_names::Labels& labels);
  Outcome cluster_external(NameView asked, const ServiceEntry& entry);
  bool server_addresses(NameView asked, Section section);

  const Index& index_;
  const Zone& zone_;
  const LookupRequest& request_;
  const Type type_;
  Writer& writer_;
  Name& external_;
  int chain_ = 0;
};

// A name without a record here is left to others: pods have addresses of the world around them.
Outcome Lookup::reverse(NameView name) {
  const auto address = reverse_address(name);
  if (!address) return Outcome::kNotOurs;
  bool any = false;
  index_.find_address(*address, [&](const ServiceEntry& entry) {
    if (!entry.facts) return false;
    if (std::ranges::find(entry.facts->addresses, *address) == entry.facts->addresses.end()) {
      return false;
    }
    explain([&] {
      return address->str() + " is the cluster IP of Service " + entry.name_space + "/" +
             entry.name;
    });
    any = writer_.name_record(Section::kAnswer, name, Type::kPtr, zone_.ttl(),
                              zone_.service_name({}, entry.name, entry.name_space));
    return true;
  });
  if (any) return Outcome::kAnswer;
  index_.find_address(*address, [&](const ServiceEntry& entry) {
    if (!entry.facts) return false;
    explain([&] {
      return address->str() + " is an endpoint of Service " + entry.name_space + "/" + entry.name;
    });
    any = write_reverse(zone_, entry, *address, name, writer_) || any;
    return writer_.truncated();
  });
  if (!any) because("no Service and no endpoint has that address");
  return any ? Outcome::kAnswer : Outcome::kNotOurs;
}

Outcome Lookup::within_zone(NameView asked) {
  const Name lowered = Name(asked).lowered();
  const auto labels = lookup_names::labels_before(lowered, zone_.name());
  if (labels.count == 0) return apex(asked);
  if (labels.count > lookup_names::kMostLabels) {
    because("no name of the cluster has so many labels");
    return Outcome::kNameError;
  }
  const std::string_view kind = labels.from_zone(0);
  if (kind != "svc" && kind != "pod") return special(asked, labels);
  if (labels.count == 1) {
    because("the name has names below it, but no records");
    return Outcome::kNoData;
  }
  const std::string_view name_space = labels.from_zone(1);
  // A Service that is found has a namespace: it is looked for only if there is none.
  if (labels.count >= 3 && kind == "svc") {
    const Outcome outcome = service(asked, labels);
    if (outcome != Outcome::kNotOurs) return outcome;
  }
  if (!index_.has_namespace(name_space)) {
    explain([&] { return "there is no Namespace " + std::string(name_space); });
    return Outcome::kNameError;
  }
  if (labels.count == 2) {
    explain([&] { return "Namespace " + std::string(name_space) + " exists, but has no records"; });
    return Outcome::kNoData;
  }
  if (kind == "pod") return pod(asked, labels);
  explain([&] {
    return "there is no Service " + std::string(labels.from_zone(2)) + " in Namespace " +
           std::string(name_space);
  });
  return Outcome::kNameError;
}

bool Lookup::server_addresses(NameView asked, Section section) {
  bool any = false;
  for (const IpAddress& address : zone_.servers()) {
    if (section == Section::kAnswer && address.is_v4() != (type_ == Type::kA)) continue;
    any = writer_.address(section, asked, zone_.ttl(), address) || any;
  }
  return any;
}

Outcome Lookup::apex(NameView asked) {
  if (type_ == Type::kSoa) {
    because("the record that every zone has");
    return answered(zone_.write_soa(writer_, Section::kAnswer, index_.serial()));
  }
  if (type_ != Type::kNs) return Outcome::kNoData;
  because("the cluster's DNS is the name server of its domain");
  const bool known = index_.find("kube-system", "kube-dns") != nullptr;
  const Name target =
      known ? zone_.service_name({}, "kube-dns", "kube-system") : Name(zone_.name_server());
  writer_.name_record(Section::kAnswer, asked, Type::kNs, zone_.ttl(), target);
  server_addresses(target, Section::kAdditional);
  return Outcome::kAnswer;
}

// dns-version, and ns.dns, which the SOA names.
Outcome Lookup::special(NameView asked, const lookup_names::Labels& labels) {
  const std::string_view last = labels.from_zone(0);
  if (labels.count == 1 && last == "dns-version") {
    because("the version of the Kubernetes DNS specification");
    if (type_ != Type::kTxt) return Outcome::kNoData;
    return answered(
        writer_.text(Section::kAnswer, asked, lookup_names::kVersionTtl, lookup_names::kVersion));
  }
  if (last == "dns" && labels.count == 1) return Outcome::kNoData;
  if (last == "dns" && labels.count == 2 && labels.from_zone(1) == "ns") {
    because("the addresses of the cluster's DNS");
    return answered(lookup_names::is_address(type_) && server_addresses(asked, Section::kAnswer));
  }
  because("names of the cluster are below svc and pod");
  return Outcome::kNameError;
}

// As with "pods insecure": the name says the address, whether there is such a pod or not.
Outcome Lookup::pod(NameView asked, const lookup_names::Labels& labels) {
  if (!zone_.pod_names()) {
    because("the configuration disables names of pods");
    return Outcome::kNameError;
  }
  if (labels.count > 3) return Outcome::kNameError;
  const auto address = lookup_names::pod_address(labels.from_zone(2));
  if (!address) {
    because("the first label is not an address with dashes");
    return Outcome::kNameError;
  }
  because("names of pods say their address");
  const bool wanted = type_ == (address->is_v4() ? Type::kA : Type::kAaaa);
  return answered(wanted && writer_.address(Section::kAnswer, asked, zone_.ttl(), *address));
}

// kNotOurs: there is no such Service.
Outcome Lookup::service(NameView asked, const lookup_names::Labels& labels) {
  const ServiceEntry* entry = index_.find(labels.from_zone(1), labels.from_zone(2));
  if (entry == nullptr) return Outcome::kNotOurs;
  explain([&] { return describe(*entry); });
  if (entry->facts->kind == ServiceFacts::Kind::kExternal) {
    return labels.count == 3 ? cluster_external(asked, *entry) : Outcome::kNameError;
  }
  ServiceRecords records(zone_, *entry, asked, type_, request_.rotation, writer_);
  Found found;
  if (labels.count == 3) {
    found = records.all();
    if (!found.exists)
      because("a headless Service without endpoints that count as ready has no name");
  } else if (labels.count == 4) {
    found = records.endpoint(labels.from_zone(3));
    if (!found.exists) because("no endpoint of the Service that counts as ready has that hostname");
  } else {
    found = records.port(labels.from_zone(4), labels.from_zone(3));
    if (!found.exists) because("the Service has no port with that name and protocol");
  }
  if (!found.exists) return Outcome::kNameError;
  if (!found.written) {
    explain([&] { return "the name exists, but has no record of type " + type_name(type_); });
  }
  return answered(found.written);
}

// The CNAME, and what it leads to: another Service, or a name outside of the cluster, which
// somebody else has to look up.
Outcome Lookup::cluster_external(NameView asked, const ServiceEntry& entry) {
  const NameView target = NameView::of_wire(entry.facts->external);
  if (type_ != Type::kCname && !lookup_names::is_address(type_)) return Outcome::kNoData;
  if (asked == target || ++chain_ > lookup_names::kMostChain) {
    because("the names of Services lead to each other");
    return Outcome::kNoData;
  }
  const Writer::Mark before = writer_.mark();
  writer_.name_record(Section::kAnswer, asked, Type::kCname, zone_.ttl(), target);
  if (type_ == Type::kCname) return Outcome::kAnswer;
  if (!target.within(zone_.name())) {
    explain([&] { return target.str() + " is looked up outside of the cluster"; });
    external_ = Name(target);
    return Outcome::kExternal;
  }
  const Outcome outcome = within_zone(target);
  if (outcome == Outcome::kAnswer || outcome == Outcome::kExternal) return outcome;
  // Without addresses behind it there is no CNAME either (plugin.A).
  writer_.rewind(before);
  return Outcome::kNoData;
}

}  // namespace

Outcome lookup(const Index& index, const Zone& zone, const LookupRequest& request, Writer& writer,
               Name& external) {
  return Lookup(index, zone, request, writer, external).run();
}

}  // namespace proa::dns
