#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

// Builders and queries for storage tests.

namespace proa::controllers::storage {

struct TestClaim {
  std::string name = "data";
  std::string size = "1Gi";
  std::string mode = "ReadWriteOnce";
  std::optional<std::string> storage_class = "";  // nullopt: absent
  std::string volume = {};
  std::string volume_mode = {};
  std::string selector = {};  // its JSON
  std::map<std::string, std::string> annotations = {};

  std::string json() const {
    json::Document document;
    document.root() = json::Value::object();
    const api::Edit claim(document);
    claim.object("metadata").set("name", name);
    for (const auto& [key, value] : annotations) {
      claim.object("metadata").object("annotations").set(key, value);
    }
    const api::Edit spec = claim.object("spec");
    spec.array("accessModes").push(json::Value::string(document.arena(), mode));
    spec.object("resources").object("requests").set("storage", size);
    if (storage_class) spec.set("storageClassName", *storage_class);
    if (!volume.empty()) spec.set("volumeName", volume);
    if (!volume_mode.empty()) spec.set("volumeMode", volume_mode);
    if (!selector.empty()) spec.copy("selector", json::parse(selector).value().root());
    return json::print(document.root());
  }
};

struct TestVolume {
  std::string name = "v";
  std::string size = "1Gi";
  std::vector<std::string> modes = {"ReadWriteOnce"};
  std::string storage_class = {};
  std::string policy = "Retain";
  std::string claim = {};  // its name, in "default"
  std::string claim_uid = {};
  std::string volume_mode = {};
  std::string path = "/data";
  std::string driver = {};  // of CSI; empty: a hostPath
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};

  std::string json() const {
    json::Document document;
    document.root() = json::Value::object();
    const api::Edit volume(document);
    volume.object("metadata").set("name", name);
    for (const auto& [key, value] : labels) {
      volume.object("metadata").object("labels").set(key, value);
    }
    for (const auto& [key, value] : annotations) {
      volume.object("metadata").object("annotations").set(key, value);
    }
    const api::Edit spec = volume.object("spec");
    for (const std::string& mode : modes) {
      spec.array("accessModes").push(json::Value::string(document.arena(), mode));
    }
    spec.object("capacity").set("storage", size);
    spec.set("persistentVolumeReclaimPolicy", policy);
    if (!storage_class.empty()) spec.set("storageClassName", storage_class);
    if (!volume_mode.empty()) spec.set("volumeMode", volume_mode);
    if (driver.empty()) {
      spec.object("hostPath").set("path", path);
    } else {
      spec.object("csi").set("driver", driver);
      spec.object("csi").set("volumeHandle", "handle-" + name);
    }
    put_claim(spec);
    return json::print(document.root());
  }

 private:
  void put_claim(api::Edit spec) const {
    if (claim.empty()) return;
    spec.object("claimRef").set("namespace", "default");
    spec.object("claimRef").set("name", claim);
    if (!claim_uid.empty()) spec.object("claimRef").set("uid", claim_uid);
  }
};

struct TestPod {
  std::string name = "web";
  std::string claim = "data";
  std::string node = {};

  std::string json() const {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":")" + node +
           R"(","containers":[{"name":"c","image":"i"}],"volumes":[{"name":"d",)" +
           R"("persistentVolumeClaim":{"claimName":")" + claim + R"("}}]}})";
  }
};

// A world with queries for storage objects.
class StorageWorld : public testkit::TestWorld {
 public:
  using TestWorld::TestWorld;

  // "spec.claimRef.name" of an object; empty if absent. A key with dots follows "#":
  // "metadata.annotations#pv.kubernetes.io/bind-completed".
  std::string at(std::string_view group, std::string_view resource, std::string_view name_space,
                 std::string_view name, std::string_view path) {
    const api::ObjectPtr object = get(group, resource, name_space, name);
    if (object == nullptr) return "(gone)";
    const json::Document document = object->document().value();
    const size_t mark = path.find('#');
    api::View value = api::View(document.root()).at(path.substr(0, mark));
    if (mark != std::string_view::npos) value = value[path.substr(mark + 1)];
    if (!value) return {};
    return value.is(json::Kind::kString) ? std::string(value.text()) : json::print(*value.value());
  }
  std::string claim(std::string_view name, std::string_view path) {
    return at("", "persistentvolumeclaims", "default", name, path);
  }
  std::string volume(std::string_view name, std::string_view path) {
    return at("", "persistentvolumes", "", name, path);
  }

  api::ObjectPtr create(const TestClaim& wanted) {
    return TestWorld::create("", "persistentvolumeclaims", "default", wanted.json());
  }
  api::ObjectPtr create(const TestVolume& wanted) {
    return TestWorld::create("", "persistentvolumes", "", wanted.json());
  }
  // Without a service account, and so without objects of other controllers.
  api::ObjectPtr create(const TestPod& wanted) {
    return TestWorld::create("", "pods", "default", wanted.json());
  }
  using TestWorld::create;
  api::ObjectPtr create_class(const std::string& name, const std::string& provisioner,
                              const std::string& mode, bool is_default = false) {
    const std::string annotations =
        is_default ? R"(,"annotations":{"storageclass.kubernetes.io/is-default-class":"true"})"
                   : "";
    return TestWorld::create("storage.k8s.io", "storageclasses", "",
                             R"({"metadata":{"name":")" + name + "\"" + annotations +
                                 R"(},"provisioner":")" + provisioner +
                                 R"(","volumeBindingMode":")" + mode + "\"}");
  }
  api::ObjectPtr create_node(const std::string& name) {
    return TestWorld::create("", "nodes", "",
                             R"({"metadata":{"name":")" + name +
                                 R"(","labels":{"kubernetes.io/hostname":"host-)" + name + "\"}}}");
  }

  // "Reason: message" of all events about objects of that name, unordered.
  std::vector<std::string> events(std::string_view name) {
    std::vector<std::string> texts;
    for (const api::ObjectPtr& event : list("", "events", "")) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      if (root["involvedObject"]["name"].text() != name) continue;
      texts.push_back(std::string(root["type"].text()) + " " + std::string(root["reason"].text()) +
                      ": " + std::string(root["message"].text()));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }
  bool has_event(std::string_view name, const std::string& text) {
    const std::vector<std::string> texts = events(name);
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  // The versions of all storage objects: unchanged if nothing was written in between.
  std::vector<std::string> versions() {
    std::vector<std::string> all;
    for (const char* resource : {"persistentvolumeclaims", "persistentvolumes", "pods", "nodes"}) {
      for (const api::ObjectPtr& one : list("", resource, "")) {
        all.emplace_back(one->metadata().resource_version);
      }
    }
    for (const char* resource : {"storageclasses", "volumeattachments"}) {
      for (const api::ObjectPtr& one : list("storage.k8s.io", resource, "")) {
        all.emplace_back(one->metadata().resource_version);
      }
    }
    return all;
  }
};

}  // namespace proa::controllers::storage
