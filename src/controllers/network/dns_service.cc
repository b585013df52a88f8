#include "controllers/network/dns_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/object/view.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "controllers/framework/writes.h"
#include "controllers/network/subsets.h"
#include "json/parse.h"
#include "kinds/core/services/balancer_node.h"

namespace proa::controllers {
namespace dns_service {

using client::Again;
using client::Key;

const Key kService{.name_space = "kube-system", .name = "kube-dns"};
constexpr std::string_view kProxyLabel = "service.kubernetes.io/service-proxy-name";
constexpr std::string_view kServiceLabel = "kubernetes.io/service-name";
constexpr std::string_view kManagerLabel = "endpointslice.kubernetes.io/managed-by";
constexpr std::string_view kManager = "dns-service.proa";
constexpr std::string_view kEndpointsManagerLabel = "endpoints.kubernetes.io/managed-by";
// The slices exist already.
constexpr std::string_view kSkipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";
// As kubeadm's Service has it.
constexpr std::string_view kServicePorts =
    R"([{"name":"dns","port":53,"protocol":"UDP","targetPort":53},)"
    R"({"name":"dns-tcp","port":53,"protocol":"TCP","targetPort":53},)"
    R"({"name":"metrics","port":9153,"protocol":"TCP","targetPort":9153}])";
constexpr std::string_view kSlicePorts =
    R"([{"name":"dns","port":53,"protocol":"UDP"},{"name":"dns-tcp","port":53,"protocol":"TCP"},)"
    R"({"name":"metrics","port":9153,"protocol":"TCP"}])";
constexpr EndpointPort kPorts[] = {{.number = 53, .name = "dns", .protocol = "UDP"},
                                   {.number = 53, .name = "dns-tcp", .protocol = "TCP"},
                                   {.number = 9153, .name = "metrics", .protocol = "TCP"}};
// As the slices, and the Endpoints, of other Services.
constexpr size_t kMostEndpoints = 100;
constexpr size_t kMostAddresses = 1000;

struct Endpoint {
  std::string node;
  std::string address;
  bool operator==(const Endpoint&) const = default;
};
using Slices = std::map<std::string, std::vector<Endpoint>, std::less<>>;

// What of a Node matters here.
struct NodeFacts {
  bool ready = false;
  std::vector<std::string> addresses;
  bool operator==(const NodeFacts&) const = default;
};

const NodeFacts& facts_of(const api::Object& node) {
  return node.kept<NodeFacts>([&] {
    NodeFacts facts;
    const auto document = node.document();
    if (!document.ok()) return facts;
    const api::View status = api::View(document->root())["status"];
    for (const api::View condition : status["conditions"].items()) {
      if (condition["type"].text() == "Ready") facts.ready = condition["status"].text() == "True";
    }
    for (const api::View address : status["addresses"].items()) {
      if (address["type"].text() == "InternalIP") {
        facts.addresses.emplace_back(address["address"].text());
      }
    }
    return facts;
  });
}

Slices plan_slices(const std::vector<api::ObjectPtr>& nodes,
                   const std::vector<std::string>& service_addresses) {
  std::vector<const api::Object*> sorted;
  for (const api::ObjectPtr& node : nodes) {
    if (facts_of(*node).ready) sorted.push_back(node.get());
  }
  std::ranges::sort(sorted, {}, [](const api::Object* node) { return node->metadata().name; });
  Slices slices;
  for (const std::string& service : service_addresses) {
    const bool v4 = parse_ip(service)->is_v4();
    size_t count = 0;
    for (const api::Object* node : sorted) {
      for (const std::string& text : facts_of(*node).addresses) {
        const auto address = parse_ip(text);
        if (!address || address->is_v4() != v4) continue;
        slices[fmt::format("kube-dns-ipv{}-{}", v4 ? 4 : 6, count++ / kMostEndpoints)].push_back(
            {.node = std::string(node->metadata().name), .address = text});
        break;
      }
    }
  }
  return slices;
}

// Of the Endpoints, which have one family, as those of other Services. Points into the slices.
std::vector<EndpointSubset> plan_subsets(const Slices& slices, bool v4) {
  SubsetPacker packer;
  for (const auto& [name, endpoints] : slices) {
    for (const Endpoint& endpoint : endpoints) {
      if (parse_ip(endpoint.address)->is_v4() != v4) continue;
      for (const EndpointPort& port : kPorts) {
        packer.add({.ip = endpoint.address, .node = endpoint.node}, true, &port);
      }
    }
  }
  std::vector<EndpointSubset> subsets = packer.pack();
  truncate(subsets, kMostAddresses);
  return subsets;
}

std::vector<Endpoint> endpoints_of(const api::Object& slice) {
  std::vector<Endpoint> endpoints;
  const auto document = slice.document();
  if (!document.ok()) return endpoints;
  for (const api::View endpoint : api::View(document->root())["endpoints"].items()) {
    endpoints.push_back({.node = std::string(endpoint["nodeName"].text()),
                         .address = std::string(endpoint["addresses"].item(0).text())});
  }
  return endpoints;
}

std::string endpoints_json(const std::vector<Endpoint>& endpoints) {
  std::string text = "[";
  for (const Endpoint& endpoint : endpoints) {
    text += fmt::format(R"({}{{"addresses":["{}"],"nodeName":"{}",)"
                        R"("conditions":{{"ready":true,"serving":true,"terminating":false}}}})",
                        text.size() == 1 ? "" : ",", endpoint.address, endpoint.node);
  }
  return text + "]";
}

bool has_label(const api::Object& object, std::string_view key, std::string_view value) {
  const std::string_view* label = object.metadata().label(key);
  return label != nullptr && *label == value;
}

// Others are those of the EndpointSlice controller, where somebody gave the Service a selector: it
// would make them again.
bool is_our_slice(const api::Object& slice) {
  return slice.metadata().name_space == kService.name_space &&
         has_label(slice, kServiceLabel, kService.name) &&
         has_label(slice, kManagerLabel, kManager);
}

bool is_ours(const api::Object& service) { return has_label(service, kProxyLabel, kDnsProxyName); }

class DnsServiceController final : public Controller {
 public:
  explicit DnsServiceController(const ControllerContext& context)
      : client_(context.client),
        addresses_(dns_addresses(context.options.service_cidr)),
        wanted_(context.options.dns && !addresses_.empty()),
        service_resource_(*context.schema.find_resource("", "v1", "services")),
        slice_resource_(*context.schema.find_resource("discovery.k8s.io", "v1", "endpointslices")),
        endpoints_resource_(*context.schema.find_resource("", "v1", "endpoints")),
        services_(context.informers.of("", "services")),
        slices_(context.informers.of("discovery.k8s.io", "endpointslices")),
        endpoints_(context.informers.of("", "endpoints")),
        nodes_(context.informers.of("", "nodes")) {}

  void listen(client::WorkQueue& queue) override {
    services_.add_handler([&queue](const client::Change& change) {
      if (change.key == kService) queue.add(kService);
    });
    slices_.add_handler([&queue](const client::Change& change) {
      if (change.key.name_space != kService.name_space) return;
      const api::Object& slice = *(change.after == nullptr ? change.before : change.after);
      if (has_label(slice, kServiceLabel, kService.name)) queue.add(kService);
    });
    endpoints_.add_handler([&queue](const client::Change& change) {
      if (change.key == kService) queue.add(kService);
    });
    // Heartbeats change nothing here.
    nodes_.add_handler([&queue](const client::Change& change) {
      const bool same = change.before != nullptr && change.after != nullptr &&
                        facts_of(*change.before) == facts_of(*change.after);
      if (!same) queue.add(kService);
    });
    queue.add(kService);
  }
  size_t workers() const override { return 1; }

  Result<Again> reconcile(const Key& key) override {
    api::ObjectPtr service = services_.cache().get(key);
    if (service != nullptr && !is_ours(*service)) return Again{};
    if (!wanted_) {
      // Slices and Endpoints go with their owner.
      if (service != nullptr) {
        TRY(unless_gone(client_.remove(place_of(service_resource_, key), {})));
      }
      return Again{};
    }
    if (service == nullptr) service = TRY(create_service());
    const Slices wanted = plan_slices(nodes_.cache().list(), addresses_);
    TRY(reconcile_slices(*service, wanted));
    TRY(put_endpoints(*service, wanted));
    return Again{};
  }

 private:
  Result<api::ObjectPtr> create_service() {
    std::string addresses;
    std::string families;
    for (const std::string& address : addresses_) {
      const char* comma = addresses.empty() ? "" : ",";
      addresses += fmt::format(R"({}"{}")", comma, address);
      families += fmt::format(R"({}"{}")", comma, parse_ip(address)->is_v4() ? "IPv4" : "IPv6");
    }
    return client_.create(
        place_of(service_resource_, {.name_space = kService.name_space, .name = {}}),
        json::parse_literal(fmt::format(
            R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"kube-dns","labels":{{)"
            R"("k8s-app":"kube-dns","kubernetes.io/name":"CoreDNS",)"
            R"("kubernetes.io/cluster-service":"true","{}":"{}"}},"annotations":{{)"
            R"("prometheus.io/port":"9153","prometheus.io/scrape":"true"}}}},)"
            R"("spec":{{"clusterIP":"{}","clusterIPs":[{}],"ipFamilies":[{}],)"
            R"("ipFamilyPolicy":"{}","ports":{}}}}})",
            kProxyLabel, kDnsProxyName, addresses_[0], addresses, families,
            addresses_.size() > 1 ? "RequireDualStack" : "SingleStack", kServicePorts)),
        {});
  }

  Result<void> reconcile_slices(const api::Object& service, const Slices& wanted) {
    for (const api::ObjectPtr& slice : slices_.cache().list()) {
      if (!is_our_slice(*slice) || wanted.contains(slice->metadata().name)) continue;
      TRY(unless_gone(client_.remove(place_of(slice_resource_, Key::of(*slice)), {})));
    }
    for (const auto& [name, endpoints] : wanted) TRY(put_slice(service, name, endpoints));
    return {};
  }

  Result<void> put_slice(const api::Object& service, const std::string& name,
                         const std::vector<Endpoint>& endpoints) {
    const Key key{.name_space = kService.name_space, .name = name};
    const api::ObjectPtr existing = slices_.cache().get(key);
    if (existing != nullptr) {
      if (endpoints_of(*existing) == endpoints) return {};
      return unless_gone(client_.patch(
          place_of(slice_resource_, key), api::PatchType::kMerge,
          json::parse_literal(fmt::format(R"({{"endpoints":{}}})", endpoints_json(endpoints))),
          {}));
    }
    const auto made = client_.create(
        place_of(slice_resource_, {.name_space = kService.name_space, .name = {}}),
        json::parse_literal(fmt::format(
            R"({{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{)"
            R"("name":"{}","labels":{{"{}":"kube-dns","k8s-app":"kube-dns",)"
            R"("{}":"{}"}},)"
            R"("ownerReferences":[{{"apiVersion":"v1","kind":"Service","name":"kube-dns",)"
            R"("uid":"{}"}}]}},"addressType":"{}","ports":{},"endpoints":{}}})",
            name, kServiceLabel, kManagerLabel, kManager, service.metadata().uid,
            parse_ip(endpoints[0].address)->is_v4() ? "IPv4" : "IPv6", kSlicePorts,
            endpoints_json(endpoints))),
        {});
    // The cache is behind.
    if (!made.ok() && !made.is(Reason::kAlreadyExists)) return made.status();
    return {};
  }

  // For tools that know no EndpointSlices. Those without our label are of the endpoints controller,
  // where somebody gave the Service a selector, or of a user.
  Result<void> put_endpoints(const api::Object& service, const Slices& slices) {
    const std::vector<EndpointSubset> wanted =
        plan_subsets(slices, parse_ip(addresses_[0])->is_v4());
    const api::ObjectPtr existing = endpoints_.cache().get(kService);
    if (existing == nullptr) return create_endpoints(service, wanted);
    if (!has_label(*existing, kEndpointsManagerLabel, kManager)) return {};
    json::Document document = TRY(existing->document());
    if (repack(read_subsets(api::View(document.root())["subsets"])) == wanted) return {};
    write_subsets(api::Edit(document), wanted);
    return unless_gone(
        client_.update(place_of(endpoints_resource_, kService), std::move(document), {}));
  }

  Result<void> create_endpoints(const api::Object& service,
                                const std::vector<EndpointSubset>& subsets) {
    const json::Document document = TRY(service.document());
    if (!api::View(document.root())["spec"]["selector"].empty()) return {};
    json::Document endpoints = json::parse_literal(fmt::format(
        R"({{"apiVersion":"v1","kind":"Endpoints","metadata":{{"name":"kube-dns","labels":{{)"
        R"("k8s-app":"kube-dns","{}":"{}","{}":"true"}},"ownerReferences":[{{"apiVersion":"v1",)"
        R"("kind":"Service","name":"kube-dns","uid":"{}"}}]}}}})",
        kEndpointsManagerLabel, kManager, kSkipMirrorLabel, service.metadata().uid));
    write_subsets(api::Edit(endpoints), subsets);
    const auto made = client_.create(
        place_of(endpoints_resource_, {.name_space = kService.name_space, .name = {}}),
        std::move(endpoints), {});
    // The cache is behind.
    if (!made.ok() && !made.is(Reason::kAlreadyExists)) return made.status();
    return {};
  }

  const client::BoundedClient client_;
  const std::vector<std::string> addresses_;
  const bool wanted_;
  const api::Resource& service_resource_;
  const api::Resource& slice_resource_;
  const api::Resource& endpoints_resource_;
  client::Informer& services_;
  client::Informer& slices_;
  client::Informer& endpoints_;
  client::Informer& nodes_;
};

}  // namespace dns_service

std::vector<std::string> dns_addresses(std::string_view service_cidr) {
  constexpr uint8_t kPlace = 10;
  std::vector<std::string> addresses;
  for (const std::string_view text : split(service_cidr, ',')) {
    const auto range = parse_prefix(trim(text));
    if (!range) continue;
    IpAddress address = range->base();
    address.bytes[15] = static_cast<uint8_t>(address.bytes[15] + kPlace);
    if (range->contains(address)) addresses.push_back(address.str());
  }
  return addresses;
}

std::unique_ptr<Controller> make_dns_service_controller(const ControllerContext& context) {
  return std::make_unique<dns_service::DnsServiceController>(context);
}

}  // namespace proa::controllers
