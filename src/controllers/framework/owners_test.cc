#include "controllers/framework/owners.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers {
namespace {

// Two sets: "web" wants app=web, "all" wants everything.
class WakeOwnersTest : public testing::Test {
 protected:
  WakeOwnersTest() {
    sets_.put(set("web", R"({"matchLabels":{"app":"web"}})"));
    sets_.put(set("all", "{}"));
    sets_.put(set("broken", R"({"matchExpressions":[{"key":"a","operator":"Is"}]})"));
  }

  static api::ObjectPtr set(const char* name, const char* selector) {
    return api::Object::make(
        fmt::format(R"({{"metadata":{{"name":"{}","namespace":"default"}},"spec":{{)"
                    R"("selector":{}}}}})",
                    name, selector));
  }
  // "Kind/name" of who controls it, or nothing; " leaving" when it is on its way out.
  static api::ObjectPtr object(std::string_view app, std::string owner = "",
                               std::string_view more = "") {
    std::string owners;
    if (!owner.empty()) {
      const size_t slash = owner.find('/');
      owners = fmt::format(
          R"("ownerReferences":[{{"kind":"{}","name":"{}","uid":"{}","controller":true}}],)",
          owner.substr(0, slash), owner.substr(slash + 1), owner);
    }
    return api::Object::make(fmt::format(R"({{"metadata":{{"name":"x","namespace":"default",{}{})"
                                         R"("labels":{{"app":"{}"}}}}}})",
                                         owners, more, app));
  }
  // Who looks again, by name.
  std::string woken(api::ObjectPtr before, api::ObjectPtr after,
                    bool (*matters)(const api::Object&, const api::Object&) = nullptr) {
    client::WorkQueue queue(clock_, random_, {.backoff = {}, .max_running = 10});
    wake_owners({{"default", "x"}, std::move(before), std::move(after)},
                {.cache = sets_, .kind = "Set", .matters = matters}, queue);
    std::string names;
    while (const auto key = queue.try_take()) names += key->name + " ";
    return names;
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  client::Cache sets_;
};

TEST_F(WakeOwnersTest, TellsWhoControlsItOrDid) {
  const api::ObjectPtr of_web = object("web", "Set/web");
  EXPECT_EQ(woken(nullptr, of_web), "web ");
  EXPECT_EQ(woken(of_web, of_web), "web ");
  EXPECT_EQ(woken(of_web, nullptr), "web ");
  EXPECT_EQ(woken(of_web, object("web", "Set/all")), "web all ");
  EXPECT_EQ(woken(of_web, object("web", "Other/web")), "web ");
  EXPECT_EQ(woken(nullptr, object("web", "Other/web")), "");
}

TEST_F(WakeOwnersTest, LeavesOutWhatDoesNotMatter) {
  const auto never = [](const api::Object&, const api::Object&) { return false; };
  const api::ObjectPtr of_web = object("web", "Set/web");
  EXPECT_EQ(woken(of_web, of_web, never), "");
  EXPECT_EQ(woken(nullptr, of_web, never), "web ");
  EXPECT_EQ(woken(of_web, object("web", "Set/all"), never), "web all ");
}

TEST_F(WakeOwnersTest, TellsWhoMayAdoptAnOrphanThatIsNews) {
  EXPECT_EQ(woken(nullptr, object("web")), "all web ");
  EXPECT_EQ(woken(nullptr, object("db")), "all ");
  EXPECT_EQ(woken(object("web"), object("web")), "");
  EXPECT_EQ(woken(object("db"), object("web")), "all web ");
  EXPECT_EQ(woken(object("web", "Other/o"), object("web")), "all web ");
  EXPECT_EQ(woken(object("db"), nullptr), "");
  EXPECT_EQ(woken(nullptr, object("web", "", R"("deletionTimestamp":"2026-01-01T00:00:00Z",)")),
            "");
}

}  // namespace
}  // namespace proa::controllers
