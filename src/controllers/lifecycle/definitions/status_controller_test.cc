#include "controllers/lifecycle/definitions/status_controller.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

class DefinitionStatusTest : public testing::Test {
 protected:
  void create(const std::string& plural, const std::string& names,
              const std::string& group = "example.com") {
    world_.create(kGroup, kResource, "",
                  R"({"metadata":{"name":")" + plural + "." + group + R"("},"spec":{"group":")" +
                      group + R"(","scope":"Namespaced","names":{"plural":")" + plural + R"(",)" +
                      names +
                      R"(},"versions":[{"name":"v1","served":true,"storage":true,"schema":)" +
                      R"({"openAPIV3Schema":{"type":"object"}}}]}})");
  }
  // "True NoConflicts: no conflicts found"
  std::string condition(const std::string& name, std::string_view type) {
    const api::ObjectPtr found = world_.get(kGroup, kResource, "", name);
    if (found == nullptr) return "gone";
    const json::Document document = found->document().value();
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      if (one["type"].text() != type) continue;
      return std::string(one["status"].text()) + " " + std::string(one["reason"].text()) + ": " +
             std::string(one["message"].text());
    }
    return "";
  }

  static constexpr const char* kGroup = "apiextensions.k8s.io";
  static constexpr const char* kResource = "customresourcedefinitions";
  static constexpr const char* kConflict = "False ListKindConflict: \"ShipList\" is already in use";
  static constexpr const char* kEstablished =
      "True InitialNamesAccepted: the initial names have been accepted";
  testkit::TestWorld world_;
};

TEST_F(DefinitionStatusTest, IsEstablished) {
  create("ships", R"("kind":"Ship")");
  world_.settle();
  EXPECT_EQ(condition("ships.example.com", "NamesAccepted"),
            "True NoConflicts: no conflicts found");
  EXPECT_EQ(condition("ships.example.com", "Established"), kEstablished);
  const api::ObjectPtr before = world_.get(kGroup, kResource, "", "ships.example.com");
  world_.restart();
  world_.settle();
  const api::ObjectPtr after = world_.get(kGroup, kResource, "", "ships.example.com");
  EXPECT_EQ(after->metadata().resource_version, before->metadata().resource_version);
}

TEST_F(DefinitionStatusTest, GivesANameToOneDefinition) {
  create("ships", R"("kind":"Ship")");
  create("vessels", R"("kind":"Ship")");
  create("ships", R"("kind":"Ship")", "other.com");
  world_.settle();
  EXPECT_EQ(condition("ships.example.com", "Established"), kEstablished);
  EXPECT_EQ(condition("vessels.example.com", "NamesAccepted"), kConflict);
  EXPECT_EQ(condition("vessels.example.com", "Established"),
            "False NotAccepted: not all names are accepted");
  EXPECT_EQ(condition("ships.other.com", "Established"), kEstablished);
}

TEST_F(DefinitionStatusTest, GivesAFreedNameToTheNext) {
  create("ships", R"("kind":"Ship")");
  world_.settle();
  create("vessels", R"("kind":"Ship")");
  world_.settle();
  ASSERT_EQ(condition("vessels.example.com", "NamesAccepted"), kConflict);
  world_.remove(kGroup, kResource, "", "ships.example.com");
  world_.pass(std::chrono::seconds(10));
  EXPECT_EQ(condition("ships.example.com", "Established"), "gone");
  EXPECT_EQ(condition("vessels.example.com", "Established"), kEstablished);
}

TEST_F(DefinitionStatusTest, GivesAnAbandonedAbbreviationToTheNext) {
  create("ships", R"("kind":"Ship","shortNames":["s"])");
  world_.settle();
  create("sails", R"("kind":"Sail","shortNames":["s"])");
  world_.settle();
  ASSERT_EQ(condition("sails.example.com", "NamesAccepted"),
            "False ShortNamesConflict: \"s\" is already in use");
  world_.patch(kGroup, kResource, "", "ships.example.com",
               R"({"spec":{"names":{"shortNames":["sh"]}}})");
  world_.settle();
  EXPECT_EQ(condition("sails.example.com", "NamesAccepted"),
            "True NoConflicts: no conflicts found");
}

}  // namespace
}  // namespace proa::controllers
