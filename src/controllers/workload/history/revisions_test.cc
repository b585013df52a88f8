#include "controllers/workload/history/revisions.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace {

api::ObjectPtr revision(std::string_view name, int64_t number, std::string_view created = "01") {
  return api::Object::make(R"({"metadata":{"name":")" + std::string(name) +
                           R"(","creationTimestamp":"2026-01-)" + std::string(created) +
                           R"(T00:00:00Z"},"data":{},"revision":)" + std::to_string(number) + "}");
}

std::string names(const std::vector<api::ObjectPtr>& revisions) {
  std::string all;
  for (const api::ObjectPtr& one : revisions) all += std::string(one->metadata().name) + " ";
  return all;
}

TEST(RevisionData, IsAPatchThatReplacesTheTemplate) {
  const json::Document set =
      json::parse(R"({"metadata":{"name":"web"},"spec":{"replicas":3,"template":{"spec":)"
                  R"({"containers":[{"name":"c","image":"a<b"}]},"metadata":{"labels":{"a":"b"},)"
                  R"("creationTimestamp":null}}}})")
          .value();
  // As upstream's getPatch prints it.
  EXPECT_EQ(revision_data(set.root()),
            R"({"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"b"}},)"
            R"("spec":{"containers":[{"image":"a\u003cb","name":"c"}]}}}})");
}

TEST(RevisionData, ContainsTheTemplate) {
  const auto template_in = [](const std::string& data) {
    const api::ObjectPtr revision = api::Object::make(R"({"data":)" + data + "}");
    return json::print(revision_template(*revision).value().root());
  };
  EXPECT_EQ(template_in(R"({"spec":{"template":{"$patch":"replace","spec":{"a":1}}}})"),
            R"({"spec":{"a":1}})");
  EXPECT_EQ(template_in(R"({"spec":{"template":"x"}})"), "{}");
  EXPECT_EQ(template_in("null"), "{}");
}

TEST(RevisionHash, MatchesUpstream) {
  // Computed with hash/fnv and rand.SafeEncodeString.
  EXPECT_EQ(revision_hash(R"({"spec":{}})", 0), "59c9b4d596");
  EXPECT_EQ(revision_hash(R"({"spec":{}})", 1), "59c9b4d597");
}

TEST(RevisionName, StaysShortEnough) {
  EXPECT_EQ(revision_name("web", "5d4f"), "web-5d4f");
  EXPECT_EQ(revision_name(std::string(253, 'a'), "5d4f").size(), 223u + 5);
}

TEST(SortRevisions, GoesByNumberThenAgeThenName) {
  std::vector<api::ObjectPtr> all{revision("d", 3), revision("c", 2, "02"), revision("b", 2, "01"),
                                  revision("a", 2, "02"), revision("e", 1, "05")};
  sort_revisions(all);
  EXPECT_EQ(names(all), "e b a c d ");
}

TEST(SurplusRevisions, AreTheOldestUnusedOnes) {
  const std::vector<api::ObjectPtr> all{revision("a", 1), revision("b", 2), revision("c", 3),
                                        revision("d", 4)};
  const auto unused = [](const api::Object&) { return false; };
  const auto uses_a = [](const api::Object& one) { return one.metadata().name == "a"; };
  EXPECT_EQ(names(surplus_revisions(all, 4, unused)), "");
  EXPECT_EQ(names(surplus_revisions(all, 2, unused)), "a b ");
  EXPECT_EQ(names(surplus_revisions(all, 0, unused)), "a b c d ");
  EXPECT_EQ(names(surplus_revisions(all, 2, uses_a)), "b c ");
  EXPECT_EQ(names(surplus_revisions(all, -1, unused)), "");
}

}  // namespace
}  // namespace proa::controllers
