#include "scheduler/framework/profiles.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_pod;

class Keeper final : public PreEnqueuePlugin {
 public:
  Keeper(std::string name, bool open) : name_(std::move(name)), open_(open) {}
  std::string_view name() const override { return name_; }
  Verdict pre_enqueue(const Pod&) override {
    return {.code = open_ ? Code::kSuccess : Code::kUnresolvable};
  }

 private:
  const std::string name_;
  const bool open_;
};

TEST(Profiles, AreFoundByName) {
  std::vector<std::unique_ptr<Profile>> made;
  for (const char* name : {"one", "two"}) {
    made.push_back(std::make_unique<Profile>());
    made.back()->scheduler_name = name;
  }
  Profiles profiles;
  profiles.set(std::move(made));
  EXPECT_EQ(profiles.find("two"), profiles.all()[1].get());
  EXPECT_EQ(profiles.find("three"), nullptr);
}

TEST(Profiles, NameTheFirstWhoKeepsAPodOut) {
  Keeper open("Open", true);
  Keeper closed("Closed", false);
  Keeper later("Later", false);
  std::vector<std::unique_ptr<Profile>> made;
  made.push_back(std::make_unique<Profile>());
  made.back()->scheduler_name = "default-scheduler";
  made.back()->pre_enqueue = {&open, &closed, &later};
  Profiles profiles;
  profiles.set(std::move(made));
  PodReader reader;
  EXPECT_EQ(profiles.gate(*reader.read(make_pod("a").object())), &closed);
  EXPECT_EQ(profiles.gate(*reader.read(make_pod("a").scheduler_name("other").object())), nullptr);
}

}  // namespace
}  // namespace proa::scheduler
