#include "apiserver/resources/allocate/service_allocation.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/validation/field_errors.h"
#include "apiserver/request/failures.h"
#include "apiserver/resources/allocate/ip_families.h"
#include "kinds/core/services/service_facts.h"

namespace proa::apiserver {
namespace service_allocation {

using api::Edit;
using api::FieldErrors;
using api::Path;
using api::View;

ServiceName name_of(View object) {
  return {object["metadata"]["namespace"].text(), object["metadata"]["name"].text()};
}

Status invalid(const FieldErrors& errors, const ServiceName& service) {
  return errors.to_status("", "Service", service.name);
}

// The allocated addresses of a Service, without "None".
std::vector<IpAddress> addresses_of(View spec) {
  std::vector<IpAddress> addresses;
  if (!kinds::needs_cluster_ip(spec)) return addresses;
  for (const View item : spec["clusterIPs"].items()) {
    if (const auto address = parse_ip(item.text())) addresses.push_back(*address);
  }
  return addresses;
}

bool has(const std::vector<IpAddress>& addresses, const IpAddress& address) {
  return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
}

std::set<int64_t> node_ports_of(View spec) {
  std::set<int64_t> ports;
  for (const View port : spec["ports"].items()) {
    if (const int64_t number = port["nodePort"].integer(); number != 0) ports.insert(number);
  }
  return ports;
}

bool allocates_node_ports(View spec) {
  return spec["type"].text() == "NodePort" || (spec["type"].text() == "LoadBalancer" &&
                                               spec["allocateLoadBalancerNodePorts"].flag(true));
}

// A write of a Service: its old and new spec.
struct Change {
  Edit spec;
  View old;  // absent on create
  ServiceName service;
  store::Txn& txn;
  bool dry_run = false;
};

class Addresses {
 public:
  Addresses(const ClusterIps& addresses, const Change& change)
      : addresses_(addresses), change_(change) {}

  Result<void> settle() const {
    const std::vector<IpAddress> before = addresses_of(change_.old);
    const View spec = change_.spec.view();
    if (kinds::needs_cluster_ip(spec) && !kinds::is_headless(spec)) TRY(take(before));
    const std::vector<IpAddress> now = addresses_of(spec);
    for (const IpAddress& address : before) {
      if (!has(now, address)) TRY(addresses_.release(address, change_.service, change_.txn));
    }
    return {};
  }

 private:
  Result<void> take(const std::vector<IpAddress>& before) const {
    const Edit list = change_.spec.array("clusterIPs");
    const View families = change_.spec["ipFamilies"];
    for (size_t i = 0; i < families.size(); ++i) {
      if (i < list.size()) {
        TRY(take_wanted(View(list.value().items()[i]).text(), list.view(), before));
        continue;
      }
      const Result<IpAddress> chosen =
          addresses_.choose(families.item(i).text(), change_.service, change_.txn, change_.dry_run);
      if (!chosen) return refused(chosen.status());
      list.push(json::Value::string(list.arena(), chosen->str()));
    }
    if (list.size() > 0) {
      const std::string first(list.view().item(0).text());
      change_.spec.set("clusterIP", first);
    }
    return {};
  }

  Result<void> take_wanted(std::string_view wanted, View list,
                           const std::vector<IpAddress>& before) const {
    const auto address = parse_ip(wanted);
    if (!address) return {};
    if (has(before, *address)) return addresses_.keep(*address, change_.service, change_.txn);
    Result<void> reserved =
        addresses_.reserve(*address, change_.service, change_.txn, change_.dry_run);
    if (reserved || !reserved.is(Reason::kInvalid)) return reserved;
    FieldErrors errors;
    errors.invalid(
        Path("spec.clusterIPs"), list,
        "failed to allocate IP " + std::string(wanted) + ": " + reserved.status().message());
    return invalid(errors, change_.service);
  }

  Status refused(const Status& status) const {
    return internal_error("failed to allocate a serviceIP for Service \"" +
                          std::string(change_.service.name) + "\": " + status.message());
  }

  const ClusterIps& addresses_;
  const Change& change_;
};

class Ports {
 public:
  Ports(const NodePorts& ports, const Change& change)
      : ports_(ports), change_(change), commit_{change.txn} {}

  Result<void> settle() {
    const View spec = change_.spec.view();
    const std::set<int64_t> before =
        kinds::needs_node_port(change_.old) ? node_ports_of(change_.old) : std::set<int64_t>();
    if (kinds::needs_node_port(spec)) {
      TRY(change_.old.exists() ? update(before) : create());
    }
    const std::set<int64_t> now =
        kinds::needs_node_port(spec) ? node_ports_of(spec) : std::set<int64_t>();
    for (const int64_t port : before) {
      if (!now.contains(port)) TRY(ports_.release(port, change_.service, commit_));
    }
    return settle_health_check();
  }

 private:
  Result<void> create() {
    if (change_.spec["ports"].empty()) return {};
    const Edit list = change_.spec.existing("ports");
    // The same port in two protocols gets one node port.
    std::map<int64_t, int64_t> by_port;
    const std::map<int64_t, int64_t> requests = requested_ports();
    for (size_t i = 0; i < list.size(); ++i) {
      const Edit port = list.item(i);
      const int64_t wanted = port["nodePort"].integer();
      if (wanted == 0 && !allocates_node_ports(change_.spec.view())) continue;
      const int64_t number = port["port"].integer();
      if (const auto found = by_port.find(number); found != by_port.end()) {
        if (wanted == 0) port.set("nodePort", found->second);
        if (wanted != 0 && wanted != found->second) TRY(reserve(i, wanted));
        continue;
      }
      const auto requested = requests.find(number);
      if (requested != requests.end()) {
        TRY(reserve(i, requested->second));
        by_port[number] = requested->second;
      } else {
        by_port[number] = TRY(choose());
      }
      port.set("nodePort", by_port[number]);
    }
    return {};
  }

  Result<void> update(const std::set<int64_t>& before) {
    if (change_.spec["ports"].empty()) return {};
    const Edit list = change_.spec.existing("ports");
    std::set<int64_t> taken = before;
    for (size_t i = 0; i < list.size(); ++i) {
      const Edit port = list.item(i);
      const int64_t wanted = port["nodePort"].integer();
      if (wanted == 0) {
        if (allocates_node_ports(change_.spec.view())) port.set("nodePort", TRY(choose()));
      } else if (taken.insert(wanted).second) {
        TRY(reserve(i, wanted));
      }
    }
    return {};
  }

  // The node ports that are requested, by port number; the first one counts.
  std::map<int64_t, int64_t> requested_ports() const {
    std::map<int64_t, int64_t> requests;
    for (const View port : change_.spec["ports"].items()) {
      const int64_t wanted = port["nodePort"].integer();
      if (wanted != 0) requests.try_emplace(port["port"].integer(), wanted);
    }
    return requests;
  }

  Result<void> reserve(size_t index, int64_t port) {
    Result<void> reserved = ports_.reserve(port, change_.service, commit_, change_.dry_run);
    if (reserved || !reserved.is(Reason::kInvalid)) return reserved;
    FieldErrors errors;
    const Path list("spec.ports");
    const Path item = list.index(index);
    errors.invalid(item.field("nodePort"), port, reserved.status().message());
    return invalid(errors, change_.service);
  }

  Result<int64_t> choose() {
    Result<int64_t> chosen = ports_.choose(change_.service, commit_, change_.dry_run);
    if (chosen) return chosen;
    return internal_error("failed to allocate a nodePort: " + chosen.status().message());
  }

  Result<void> settle_health_check() {
    const bool needs = kinds::needs_health_check_node_port(change_.spec.view());
    const bool needed = kinds::needs_health_check_node_port(change_.old);
    const int64_t before = change_.old["healthCheckNodePort"].integer();
    if (needed && !needs && before != 0) {
      return ports_.release(before, change_.service, commit_);
    }
    if (!needs || (needed && before != 0)) return {};
    const int64_t wanted = change_.spec["healthCheckNodePort"].integer();
    if (wanted == 0) {
      const Result<int64_t> chosen = ports_.choose(change_.service, commit_, change_.dry_run);
      if (!chosen) {
        return internal_error("failed to allocate a HealthCheck NodePort 0: " +
                              chosen.status().message());
      }
      change_.spec.set("healthCheckNodePort", *chosen);
      return {};
    }
    const Result<void> reserved = ports_.reserve(wanted, change_.service, commit_, change_.dry_run);
    if (reserved) return {};
    return internal_error("failed to allocate requested HealthCheck NodePort " +
                          std::to_string(wanted) + ": " + reserved.status().message());
  }

  const NodePorts& ports_;
  const Change& change_;
  PortCommit commit_;
};

}  // namespace service_allocation

bool ServiceAllocation::concerns(const api::Resource& resource) const {
  return resource.name == "services" && resource.group.empty();
}

Result<void> ServiceAllocation::on_write(api::Edit object, const Step& step) {
  // Status writes allocate nothing.
  if (step.request.subresource != nullptr) return {};
  const service_allocation::Change change{.spec = object.object("spec"),
                                          .old = step.old["spec"],
                                          .service = service_allocation::name_of(object.view()),
                                          .txn = step.txn,
                                          .dry_run = step.dry_run};
  api::FieldErrors errors;
  settle_ip_families(change.spec, change.old, families_, errors);
  if (!errors.empty()) return service_allocation::invalid(errors, change.service);
  TRY(service_allocation::Addresses(addresses_, change).settle());
  return service_allocation::Ports(ports_, change).settle();
}

Result<void> ServiceAllocation::on_delete(api::View object, const Step& step) {
  const api::View spec = object["spec"];
  const ServiceName service = service_allocation::name_of(object);
  for (const IpAddress& address : service_allocation::addresses_of(spec)) {
    TRY(addresses_.release(address, service, step.txn));
  }
  PortCommit commit{step.txn};
  for (const int64_t port : service_allocation::node_ports_of(spec)) {
    TRY(ports_.release(port, service, commit));
  }
  const int64_t health_check = spec["healthCheckNodePort"].integer();
  if (health_check != 0) return ports_.release(health_check, service, commit);
  return {};
}

}  // namespace proa::apiserver
