#include "controllers/lifecycle/quota/quota_facts.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};

api::ObjectPtr quota_with(const std::string& spec, const std::string& more = "") {
  return api::Object::make(R"({"metadata":{"name":"q"},"spec":)" + spec + more + "}");
}

TEST(QuotaFacts, AreReadFromTheSpec) {
  const api::ObjectPtr quota =
      quota_with(R"({"hard":{"pods":"3","requests.cpu":"2"},"scopes":["NotBestEffort"]})");
  const QuotaFacts& facts = quota_facts(*quota);
  EXPECT_EQ(facts.hard.at("requests.cpu"), api::Quantity(2));
  EXPECT_EQ(facts.names, (kinds::quota::ResourceNames{"pods", "requests.cpu"}));
  ASSERT_EQ(facts.scopes.size(), 1u);
  EXPECT_TRUE(limits(facts, *kinds::quota::evaluator_of("", "pods")));
  EXPECT_FALSE(limits(facts, *kinds::quota::evaluator_of("", "services")));
}

TEST(ChargesDifferently, WhenWhatItChargesForChanged) {
  const auto evaluator = kinds::quota::evaluator_of("", "pods");
  const std::string pod =
      R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})";
  const struct {
    const char* name;
    const char* spec;
    std::string before;
    std::string after;
    bool differs;
  } cases[] = {
      {"a status that says nothing", R"({"hard":{"pods":"3"}})", pod + "}",
       pod + R"(,"status":{"phase":"Running"}})", false},
      {"an end", R"({"hard":{"pods":"3"}})", pod + "}", pod + R"(,"status":{"phase":"Failed"}})",
       true},
      {"an end, where all that exist count", R"({"hard":{"count/pods":"3"}})", pod + "}",
       pod + R"(,"status":{"phase":"Failed"}})", false},
      {"an end, out of scope", R"({"hard":{"pods":"3"},"scopes":["BestEffort"]})", pod + "}",
       pod + R"(,"status":{"phase":"Failed"}})", false},
      {"another scope", R"({"hard":{"pods":"3"},"scopes":["NotTerminating"]})",
       R"({"spec":{"containers":[]}})", R"({"spec":{"containers":[],"activeDeadlineSeconds":5}})",
       true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr quota = quota_with(c.spec);
    const json::Document before = *json::parse(c.before);
    const json::Document after = *json::parse(c.after);
    EXPECT_EQ(
        charges_differently(quota_facts(*quota), *evaluator, before.root(), after.root(), kNow),
        c.differs);
  }
}

TEST(PutQuotaStatus, OverwritesWhatWasMeasured) {
  const struct {
    const char* name;
    const char* status;
    kinds::quota::Amounts measured;
    const char* wanted;  // empty: nothing is written
  } cases[] = {
      {"new",
       "",
       {{"pods", api::Quantity(1)}},
       R"({"hard":{"pods":"3","count/x.y":"2"},"used":{"pods":"1"}})"},
      {"what others count stays",
       R"(,"status":{"hard":{"pods":"3"},"used":{"count/x.y":"1"}})",
       {{"pods", api::Quantity(1)}},
       R"({"hard":{"pods":"3","count/x.y":"2"},"used":{"count/x.y":"1","pods":"1"}})"},
      {"what is not limited goes",
       R"(,"status":{"hard":{"pods":"3","count/x.y":"2"},"used":{"pods":"1","secrets":"1"}})",
       {{"pods", api::Quantity(1)}},
       R"({"hard":{"pods":"3","count/x.y":"2"},"used":{"pods":"1"}})"},
      {"right, in other words",
       R"(,"status":{"hard":{"pods":"3000m","count/x.y":"2"},"used":{"pods":"1"}})",
       {{"pods", api::Quantity(1)}},
       ""},
      {"less",
       R"(,"status":{"hard":{"pods":"3","count/x.y":"2"},"used":{"pods":"2"}})",
       {{"pods", api::Quantity(1)}},
       R"({"hard":{"pods":"3","count/x.y":"2"},"used":{"pods":"1"}})"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr quota = quota_with(R"({"hard":{"pods":"3","count/x.y":"2"}})", c.status);
    json::Document document = *quota->document();
    const bool changed = put_quota_status(api::Edit(document), quota_facts(*quota), c.measured);
    EXPECT_EQ(changed, *c.wanted != '\0');
    if (changed) {
      EXPECT_EQ(json::print(*api::View(document.root())["status"].value()), c.wanted);
    }
  }
}

}  // namespace
}  // namespace proa::controllers
