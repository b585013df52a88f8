#pragma once

#include <string>

#include "base/check.h"
#include "custom/definition/definition.h"
#include "json/parse.h"
#include "testkit/controllers/test_world.h"

namespace proa::testkit {

// A custom resource of a test, in the group example.com and version v1.
class CustomKind {
 public:
  // Creates the definition, and establishes it if no controller does. `more`: of the version, such
  // as subresources.
  explicit CustomKind(TestWorld& world, std::string plural = "ships",
                      const std::string& kind = "Ship", const std::string& more = "")
      : world_(world), plural_(std::move(plural)) {
    world_.create(
        kGroup, kDefinitions, "",
        R"({"metadata":{"name":")" + name() +
            R"("},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":")" +
            plural_ + R"(","kind":")" + kind +
            R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":)" +
            R"({"openAPIV3Schema":{"type":"object",)" +
            R"("x-kubernetes-preserve-unknown-fields":true}})" + more + "}]}}");
    world_.settle();
    definition_ = custom::Definition::make(definition()).value();
    if (definition_->is_served()) return;
    world_.patch(kGroup, kDefinitions, "", name(),
                 R"({"status":{"acceptedNames":{"plural":")" + plural_ + R"(","kind":")" + kind +
                     R"("},"conditions":[{"type":"NamesAccepted","status":"True"},)" +
                     R"({"type":"Established","status":"True"}]}})",
                 "status");
    world_.settle();
    definition_ = custom::Definition::make(definition()).value();
    CHECK(definition_->is_served());
  }

  std::string name() const { return plural_ + ".example.com"; }
  // Null if it is gone.
  api::ObjectPtr definition() { return world_.get(kGroup, kDefinitions, "", name()); }
  void remove_definition() { world_.remove(kGroup, kDefinitions, "", name()); }

  client::Place place(const std::string& name_space, const std::string& name) const {
    return {.resource = definition_->find("v1"),
            .name_space = name_space,
            .name = name,
            .subresource = {}};
  }
  // CHECKs success.
  api::ObjectPtr create(const std::string& name_space, const std::string& json) {
    return world_.client().create(place(name_space, ""), json::parse_literal(json), {}, {}).value();
  }
  api::ObjectPtr patch(const std::string& name_space, const std::string& name,
                       const std::string& json) {
    return world_.client()
        .patch(place(name_space, name), api::PatchType::kMerge, json::parse_literal(json), {}, {})
        .value();
  }
  void remove(const std::string& name_space, const std::string& name,
              api::Propagation propagation = api::Propagation::kBackground) {
    client::RemoveChoices choices;
    choices.propagation = propagation;
    CHECK(world_.client().remove(place(name_space, name), choices, {}).ok());
  }
  bool has(const std::string& name_space, const std::string& name) {
    return world_.client().get(place(name_space, name), {}).ok();
  }

 private:
  static constexpr const char* kGroup = "apiextensions.k8s.io";
  static constexpr const char* kDefinitions = "customresourcedefinitions";

  TestWorld& world_;
  const std::string plural_;
  custom::DefinitionPtr definition_;
};

}  // namespace proa::testkit
