#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/check.h"
#include "base/strings.h"
#include "controllers/network/watched_client.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {

// A pod as Services see it.
struct TestPod {
  std::string name;
  std::string labels = R"("app":"web")";
  std::string node = "node-1";
  std::vector<std::string> addresses = {};
  bool ready = true;
  std::string phase = "Running";
  std::string more_spec = {};       // of the spec, preceded by a comma
  std::string more_container = {};  // as above
  std::string more_metadata = {};   // as above
  std::string since = "2026-01-01T00:00:00Z";

  std::string spec_json() const {
    return fmt::format(R"({{"nodeName":"{}","automountServiceAccountToken":false,)"
                       R"("containers":[{{"name":"c","image":"i"{}}}]{}}})",
                       node, more_container, more_spec);
  }
  std::string metadata_json() const {
    return fmt::format(R"({{"name":"{}","namespace":"default","labels":{{{}}}{}}})", name, labels,
                       more_metadata);
  }
  std::string status_json() const {
    std::string ips;
    for (const std::string& ip : addresses) {
      ips += fmt::format(R"({}{{"ip":"{}"}})", ips.empty() ? "" : ",", ip);
    }
    return fmt::format(
        R"({{"phase":"{}","podIP":"{}","podIPs":[{}],"conditions":[{{"type":"Ready",)"
        R"("status":"{}","lastTransitionTime":"{}"}}]}})",
        phase, addresses.empty() ? "" : addresses.front(), ips, ready ? "True" : "False", since);
  }
  // Not stored in an API server.
  api::ObjectPtr object() const {
    return api::Object::make(
        fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{},"status":{}}})",
                    metadata_json(), spec_json(), status_json()));
  }
};

// A world with services, their pods and nodes, and short descriptions of the results.
class NetworkWorld {
 public:
  explicit NetworkWorld(std::vector<ControllerEntry> entries, ControllerOptions flags = {})
      : world_(testkit::TestWorld::Options{
            .entries = std::move(entries),
            .flags = std::move(flags),
            .between =
                [this](std::unique_ptr<client::Client> client) -> std::unique_ptr<client::Client> {
              return std::make_unique<WatchedClient>(std::move(client), watched_);
            }}) {}

  testkit::TestWorld& world() { return world_; }

  void add_node(std::string_view name, std::string_view zone = "",
                std::string_view address = "192.0.2.10", std::string_view more_labels = "") {
    const std::string label =
        zone.empty() ? "" : fmt::format(R"("topology.kubernetes.io/zone":"{}")", zone);
    world_.create("", "nodes", "",
                  fmt::format(R"({{"metadata":{{"name":"{}","labels":{{{}{}}}}}}})", name, label,
                              more_labels));
    set_node(name, true, address);
  }
  void set_node(std::string_view name, bool ready, std::string_view address = "192.0.2.10") {
    world_.patch("", "nodes", "", name,
                 fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"{}"}}],)"
                             R"("allocatable":{{"cpu":"2"}},)"
                             R"("addresses":[{{"type":"InternalIP","address":"{}"}}]}}}})",
                             ready ? "True" : "False", address),
                 "status");
  }
  void add_pod(const TestPod& pod) {
    world_.create(
        "", "pods", "default",
        fmt::format(R"({{"metadata":{},"spec":{}}})", pod.metadata_json(), pod.spec_json()));
    set_pod(pod);
  }
  void set_pod(const TestPod& pod) {
    world_.patch("", "pods", "default", pod.name,
                 fmt::format(R"({{"status":{}}})", pod.status_json()), "status");
  }
  // `more`: fields of the spec, preceded by a comma.
  void add_service(std::string_view name, std::string_view more = "",
                   std::string_view metadata = "") {
    world_.create(
        "", "services", "default",
        fmt::format(R"({{"metadata":{{"name":"{}"{}}},"spec":{{"ports":[{{"port":80}}]{}}}}})",
                    name, metadata, more));
  }
  json::Document document(std::string_view group, std::string_view resource,
                          std::string_view name_space, std::string_view name) {
    const api::ObjectPtr object = world_.get(group, resource, name_space, name);
    CHECK(object != nullptr);
    return object->document().value();
  }
  // Writes by controllers.
  Watched& watched() { return watched_; }
  const std::vector<std::string>& events() const { return watched_.events; }

 private:
  Watched watched_;
  testkit::TestWorld world_;
};

// "10.0.0.1(web-1) !10.0.0.2(web-2) :80": for each subset, the addresses, unready ones marked, and
// the ports.
inline std::string describe_subsets(api::View endpoints) {
  std::vector<std::string> subsets;
  for (const api::View subset : endpoints["subsets"].items()) {
    std::vector<std::string> parts;
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      for (const api::View address : subset[list].items()) {
        parts.push_back(fmt::format("{}{}({})", list[0] == 'n' ? "!" : "", address["ip"].text(),
                                    address["targetRef"]["name"].text()));
      }
    }
    for (const api::View port : subset["ports"].items()) {
      parts.push_back(fmt::format("{}:{}", port["name"].text(), port["port"].integer()));
    }
    subsets.push_back(join(parts, " "));
  }
  return join(subsets, " | ");
}

// "IPv4 :80 10.0.0.1(rs-) 10.0.0.2(-st)": family, ports, and each endpoint with its conditions.
inline std::string describe_slice(api::View slice) {
  std::vector<std::string> parts = {std::string(slice["addressType"].text())};
  for (const api::View port : slice["ports"].items()) {
    parts.push_back(fmt::format("{}:{}", port["name"].text(), port["port"].integer()));
  }
  for (const api::View endpoint : slice["endpoints"].items()) {
    const api::View conditions = endpoint["conditions"];
    std::string text = fmt::format(
        "{}({}{}{})", endpoint["addresses"].item(0).text(), conditions["ready"].flag() ? "r" : "-",
        conditions["serving"].flag() ? "s" : "-", conditions["terminating"].flag() ? "t" : "-");
    for (const api::View zone : endpoint["hints"]["forZones"].items()) {
      text += fmt::format(">{}", zone["name"].text());
    }
    for (const api::View node : endpoint["hints"]["forNodes"].items()) {
      text += fmt::format(">>{}", node["name"].text());
    }
    parts.push_back(std::move(text));
  }
  return join(parts, " ");
}

}  // namespace proa::controllers
