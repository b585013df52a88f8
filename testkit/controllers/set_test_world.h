#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::testkit {

// A world with one controller; the test acts as scheduler and kubelet.
class SetTest : public testing::Test {
 protected:
  SetTest(controllers::ControllerEntry entry, std::string_view resource)
      : world_(std::vector<controllers::ControllerEntry>{entry}), resource_(resource) {}

  void create(std::string spec, std::string_view name = "web") {
    pass_a_moment();
    world_.create("apps", resource_, "default",
                  R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":)" + spec + "}");
    world_.settle();
  }
  // Patches the set's spec.
  void change(std::string spec) {
    pass_a_moment();
    world_.patch("apps", resource_, "default", "web", R"({"spec":)" + std::move(spec) + "}");
    world_.settle();
  }
  // Events are named after the time: of several at the same time, only the first is stored.
  void pass_a_moment() { world_.clock().advance(std::chrono::milliseconds(1)); }
  // The template changes with the image.
  static std::string pod_template(std::string_view image = "a") {
    return R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":")" +
           std::string(image) + R"("}]}})";
  }
  static std::string with_image(std::string_view image) {
    return R"({"template":)" + pod_template(image) + "}";
  }

  api::ObjectPtr pod(std::string_view name) { return world_.get("", "pods", "default", name); }
  // Pods that are not being deleted: "web-0 web-1".
  std::string pods() {
    std::string names;
    for (const api::ObjectPtr& one : world_.list("", "pods", "default")) {
      if (one->metadata().being_deleted) continue;
      names += (names.empty() ? "" : " ") + std::string(one->metadata().name);
    }
    return names;
  }
  void put_pod_status(std::string_view name, const std::string& status) {
    pass_a_moment();
    world_.patch("", "pods", "default", name, R"({"status":)" + status + "}", "status");
  }
  void make_ready(std::string_view name) {
    put_pod_status(name, R"({"phase":"Running","conditions":[{"type":"Ready","status":"True",)"
                         R"("lastTransitionTime":")" +
                             format_time(world_.clock().now()) + R"("}]})");
    world_.settle();
  }
  void make_unready(std::string_view name) {
    put_pod_status(name, R"({"conditions":[{"type":"Ready","status":"False"}]})");
    world_.settle();
  }
  void end(std::string_view name, std::string_view phase) {
    put_pod_status(name, R"({"phase":")" + std::string(phase) + R"("})");
  }
  // A pod whose deletion is delayed by a finalizer.
  void hold(std::string_view name) {
    world_.patch("", "pods", "default", name,
                 R"({"metadata":{"finalizers":["example.com/hold"]}})");
    world_.settle();
  }
  void let_go(std::string_view name) {
    world_.patch("", "pods", "default", name, R"({"metadata":{"finalizers":null}})");
    world_.settle();
  }

  // A value anywhere in an object: field(pod, "spec.hostname").
  static std::string field(const api::ObjectPtr& object, std::string_view path) {
    if (object == nullptr) return "gone";
    const json::Document document = object->document().value();
    const api::View found = api::View(document.root()).at(path);
    if (found.is(json::Kind::kInt)) return std::to_string(found.integer());
    return std::string(found.text());
  }
  static std::string label(const api::ObjectPtr& object, std::string_view name) {
    const std::string_view* found = object->metadata().label(name);
    return found == nullptr ? "none" : std::string(*found);
  }
  api::ObjectPtr set() { return world_.get("apps", resource_, "default", "web"); }
  std::string status(std::string_view name) { return field(set(), "status." + std::string(name)); }
  int64_t count(std::string_view name) {
    const std::string text = status(name);
    return text.empty() ? 0 : std::stoll(text);
  }
  std::string image(std::string_view name) {
    const api::ObjectPtr found = pod(name);
    if (found == nullptr) return "gone";
    const json::Document document = found->document().value();
    return std::string(api::View(document.root())["spec"]["containers"].item(0)["image"].text());
  }

  // "1:b 3:a": numbers and images of the revisions, ascending.
  std::string revisions() {
    std::vector<std::string> all;
    for (const api::ObjectPtr& one : world_.list("apps", "controllerrevisions", "default")) {
      const json::Document document = one->document().value();
      const api::View root = document.root();
      const api::View pod_spec = root["data"]["spec"]["template"]["spec"];
      all.push_back(std::to_string(root["revision"].integer()) + ":" +
                    std::string(pod_spec["containers"].item(0)["image"].text()));
    }
    std::sort(all.begin(), all.end());
    std::string text;
    for (const std::string& one : all) text += (text.empty() ? "" : " ") + one;
    return text;
  }
  std::string revision_of_image(std::string_view image) {
    for (const api::ObjectPtr& one : world_.list("apps", "controllerrevisions", "default")) {
      if (one->json().find("\"image\":\"" + std::string(image) + "\"") != std::string_view::npos) {
        return std::string(one->metadata().name);
      }
    }
    return "none";
  }

  // As kubectl rollout undo does.
  void undo_to(std::string_view image) {
    pass_a_moment();
    const api::ObjectPtr revision =
        world_.get("apps", "controllerrevisions", "default", revision_of_image(image));
    const json::Document document = revision->document().value();
    const std::string patch = json::print(*api::View(document.root())["data"].value());
    ASSERT_TRUE(world_.client()
                    .patch(world_.place("apps", resource_, "default", "web"),
                           api::PatchType::kStrategic, json::parse_literal(patch), {}, {})
                    .ok());
    world_.settle();
  }

  // The number of such events: "Normal SuccessfulCreate Created pod: x".
  int64_t told(std::string_view event) {
    for (const api::ObjectPtr& one : world_.list("", "events", "default")) {
      const std::string text =
          field(one, "type") + " " + field(one, "reason") + " " + field(one, "message");
      if (text == event) return std::stoll(field(one, "count"));
    }
    return 0;
  }
  // All objects of the namespace, with their versions.
  std::string versions() {
    std::string all;
    for (const auto& [group, resource] : {std::pair<std::string_view, std::string_view>{"", "pods"},
                                          {"", "persistentvolumeclaims"},
                                          {"apps", "controllerrevisions"},
                                          {"apps", resource_},
                                          {"", "events"}}) {
      for (const api::ObjectPtr& one : world_.list(group, resource, "default")) {
        all += std::string(one->metadata().name) + "@" +
               std::string(one->metadata().resource_version) + " ";
      }
    }
    return all;
  }
  // A restarted controller has nothing to do.
  void expect_settled() {
    world_.settle();
    const std::string before = versions();
    world_.restart();
    world_.settle();
    EXPECT_EQ(versions(), before);
  }

  TestWorld world_;
  const std::string resource_;
};

}  // namespace proa::testkit
