#include "custom/definition/definition.h"

#include <gtest/gtest.h>

#include "api/codec/json/decode.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::custom {
namespace {

api::ObjectPtr ships(std::string_view versions, std::string_view conditions) {
  return api::Object::make(
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"ships.example.com","resourceVersion":"7"},"spec":{"group":"example.com","names":{"plural":"ships","singular":"ship","shortNames":["sh"],"kind":"Ship","listKind":"ShipList","categories":["all"]},"scope":"Namespaced","versions":)" +
      std::string(versions) + R"(},"status":{"conditions":)" + std::string(conditions) + "}}");
}

constexpr std::string_view kServed = R"([{"type":"Established","status":"True"}])";
constexpr std::string_view kVersions =
    R"([{"name":"v1","served":true,"storage":true,"subresources":{"status":{},"scale":{"specReplicasPath":".spec.crew","statusReplicasPath":".status.crew"}},"selectableFields":[{"jsonPath":".spec.color"}]},{"name":"v1beta1","served":true,"storage":false,"deprecated":true},{"name":"v1alpha1","served":false,"storage":false}])";

TEST(Definition, IsResourcesLikeTheBuiltInOnes) {
  const DefinitionPtr ship = Definition::make(ships(kVersions, kServed)).value();
  ASSERT_EQ(ship->resources().size(), 2U);
  const CustomResource& v1 = *ship->resources()[0];
  EXPECT_EQ(v1.group_version(), "example.com/v1");
  EXPECT_EQ(v1.type->name, "Ship");
  EXPECT_EQ(v1.list->name, "ShipList");
  EXPECT_EQ(v1.key_prefix, "/registry/example.com/ships");
  EXPECT_EQ(v1.head(), R"({"kind":"Ship","apiVersion":"example.com/v1",)");
  EXPECT_FALSE(v1.is_converted());
  EXPECT_TRUE(v1.has_status);
  EXPECT_EQ(v1.scale()->spec_replicas, ".spec.crew");
  ASSERT_EQ(v1.selectable.size(), 1U);
  EXPECT_EQ(v1.selectable[0].name, "spec.color");
  EXPECT_EQ(&custom_resource(v1), &v1);
  const CustomResource& beta = *ship->resources()[1];
  EXPECT_TRUE(beta.is_converted());
  EXPECT_EQ(beta.stored, &v1);
  EXPECT_FALSE(beta.has_status);
  EXPECT_EQ(beta.scale(), nullptr);
  EXPECT_EQ(beta.deprecation, "example.com/v1beta1 Ship is deprecated; use example.com/v1 Ship");
  EXPECT_EQ(ship->find("v1alpha1")->version, "v1alpha1");
  EXPECT_EQ(ship->find("v2"), nullptr);
  EXPECT_LT(ship->memory(), 8000U);
}

// Only a version that precedes the deprecated one replaces it, and only if it is served.
TEST(Definition, NamesTheVersionToUseInstead) {
  const auto warnings = [](std::string_view versions) {
    std::vector<std::string> found;
    const DefinitionPtr ship = Definition::make(ships(versions, kServed)).value();
    for (const CustomResource* version : ship->resources())
      found.emplace_back(version->deprecation);
    return found;
  };
  EXPECT_EQ(
      warnings(
          R"([{"name":"v2","served":false,"storage":true},{"name":"v1beta1","served":true,"deprecated":true},{"name":"v1beta2","served":true},{"name":"v1beta3","served":true}])"),
      (std::vector<std::string>{
          "example.com/v1beta1 Ship is deprecated; use example.com/v1beta3 Ship", "", ""}));
  EXPECT_EQ(
      warnings(
          R"([{"name":"v1","served":true,"storage":true,"deprecated":true},{"name":"v1beta1","served":true}])"),
      (std::vector<std::string>{"example.com/v1 Ship is deprecated", ""}));
  EXPECT_EQ(
      warnings(
          R"([{"name":"v1","served":true,"storage":true},{"name":"v1beta1","served":true,"deprecated":true,"deprecationWarning":""}])"),
      (std::vector<std::string>{"", ""}));
}

TEST(Definition, IsServedOnceItsNamesAreAccepted) {
  EXPECT_TRUE(Definition::make(ships(kVersions, "[]")).value()->resources().empty());
  const auto accepted = ships(kVersions, R"([{"type":"NamesAccepted","status":"True"}])");
  EXPECT_FALSE(Definition::make(accepted).value()->resources().empty());
  const auto ending =
      ships(kVersions,
            R"([{"type":"Established","status":"True"},{"type":"Terminating","status":"True"}])");
  EXPECT_TRUE(Definition::make(ending).value()->is_terminating());
}

TEST(Definition, IsSharedByAllWhoReadTheSameObject) {
  const api::ObjectPtr object = ships(kVersions, kServed);
  DefinitionPtr first = Definition::make(object).value();
  EXPECT_EQ(Definition::make(object).value(), first);
  EXPECT_NE(Definition::make(ships(kVersions, kServed)).value(), first);
  // What took the place of another ends with that one.
  const DefinitionPtr unserved = Definition::make(ships(kVersions, "[]")).value();
  EXPECT_EQ(Definition::make(object, unserved.get()).value(), first);
  const DefinitionPtr before = Definition::make(ships(kVersions, kServed)).value();
  const DefinitionPtr next = Definition::make(object, before.get()).value();
  EXPECT_NE(next, first);
  EXPECT_EQ(next->replaced(), before->replaced());
  // Nobody uses it any more: the object does not keep it.
  const std::weak_ptr<const Definition> gone = first;
  first = nullptr;
  EXPECT_TRUE(gone.expired());
}

// As upstream: only another spec, or other names, end the watches of a definition.
TEST(Definition, ContinuesWhileItIsTerminating) {
  const auto make = [](int generation, std::string_view versions, std::string_view conditions) {
    std::string text(ships(versions, conditions)->json());
    text.insert(text.find(R"("resourceVersion")"),
                R"("uid":"u","generation":)" + std::to_string(generation) + ",");
    return api::Object::make(text);
  };
  constexpr std::string_view kTerminating =
      R"([{"type":"Established","status":"True"},{"type":"Terminating","status":"True"}])";
  const DefinitionPtr before = Definition::make(make(1, kVersions, kServed)).value();
  const DefinitionPtr going =
      Definition::make(make(2, kVersions, kTerminating), before.get()).value();
  EXPECT_TRUE(going->is_terminating());
  EXPECT_TRUE(going->continues(*before));
  EXPECT_EQ(going->replaced(), before->replaced());
  constexpr std::string_view kOther = R"([{"name":"v1","served":true,"storage":true}])";
  const DefinitionPtr changed = Definition::make(make(2, kOther, kServed), before.get()).value();
  EXPECT_FALSE(changed->continues(*before));
  EXPECT_NE(changed->replaced(), before->replaced());
}

TEST(Definition, NeedsAVersionThatIsStored) {
  EXPECT_FALSE(Definition::make(ships("[]", kServed)).ok());
}

// Metadata comes first and is checked; the rest stays as it is.
TEST(Definition, TypesAreOpen) {
  const DefinitionPtr ship = Definition::make(ships(kVersions, kServed)).value();
  const api::Type& type = *ship->resources()[0]->type;
  const auto decode = [&](std::string_view text, api::FieldValidation validation) {
    return api::decode_json(text, type, validation);
  };
  const auto decoded = decode(
      R"({"spec":{"b":1,"a":[]},"metadata":{"labels":{"x":"y"},"name":"a"},"apiVersion":"example.com/v1","kind":"Ship","status":null})",
      api::FieldValidation::kStrict);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(
      json::print(decoded->document.root()),
      R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"b":1,"a":[]},"status":null})");
  const auto twice = decode(
      R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"a","what":1},"spec":{"a":1,"l":[{"b":1,"b":2}]}})",
      api::FieldValidation::kWarn);
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(twice->warnings, (std::vector<std::string>{R"(unknown field "metadata.what")",
                                                       R"(duplicate field "spec.l[0].b")"}));
}

}  // namespace
}  // namespace proa::custom
