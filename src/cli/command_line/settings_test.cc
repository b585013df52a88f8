#include "cli/command_line/settings.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

const std::vector<Flag> kFlags = {
    {.name = "data-dir", .kind = ValueKind::kFolder, .word = "DIR", .fallback = "/var/lib/proa"},
    {.name = "loops", .kind = ValueKind::kNumber, .fallback = "0", .most = 64},
    {.name = "count", .kind = ValueKind::kNumber, .fallback = "1", .least = 1},
    {.name = "port", .kind = ValueKind::kPort, .fallback = "6443"},
    {.name = "grace", .kind = ValueKind::kDuration, .fallback = "30s"},
    {.name = "quiet", .kind = ValueKind::kSwitch, .fallback = "false"},
    {.name = "format", .kind = ValueKind::kChoice, .fallback = "text", .choices = {"text", "json"}},
};

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(EnvironmentName, IsTheFlagInCapitals) {
  EXPECT_EQ(environment_name("data-dir"), "PROA_DATA_DIR");
}

TEST(ResolveSettings, TakesDefaultsWhenNothingIsGiven) {
  const auto settings = resolve_settings(kFlags, {}, environment({}), {});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->text("data-dir"), "/var/lib/proa");
  EXPECT_EQ(settings->number("loops"), 0);
  EXPECT_EQ(settings->duration("grace"), std::chrono::seconds(30));
  EXPECT_FALSE(settings->on("quiet"));
}

TEST(ResolveSettings, FlagWinsOverEnvironmentOverConfigOverDefault) {
  GivenValues line{{"data-dir", {"/line", "--data-dir"}}};
  GivenValues config{{"data-dir", {"/config", "c.yaml: data-dir"}},
                     {"loops", {"3", "c.yaml: loops"}},
                     {"grace", {"1m", "c.yaml: grace"}}};
  const auto variables = environment({{"PROA_DATA_DIR", "/environment"}, {"PROA_LOOPS", "2"}});

  auto settings = resolve_settings(kFlags, line, variables, config);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->text("data-dir"), "/line");
  EXPECT_EQ(settings->number("loops"), 2);
  EXPECT_EQ(settings->duration("grace"), std::chrono::minutes(1));
  EXPECT_EQ(settings->text("format"), "text");
  EXPECT_TRUE(settings->is_given("data-dir"));
  EXPECT_TRUE(settings->is_given("grace"));
  EXPECT_FALSE(settings->is_given("format"));

  settings = resolve_settings(kFlags, {}, variables, config);
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->text("data-dir"), "/environment");
}

TEST(ResolveSettings, ChoicesAreTakenInAnyCase) {
  const auto settings =
      resolve_settings(kFlags, {{"format", {"JSON", "--format"}}}, environment({}), {});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->text("format"), "json");
}

TEST(ResolveSettings, UnderstandsSwitches) {
  for (const char* yes : {"true", "1", "yes", "on", "True"}) {
    SCOPED_TRACE(yes);
    const auto settings = resolve_settings(kFlags, {}, environment({{"PROA_QUIET", yes}}), {});
    ASSERT_TRUE(settings.ok());
    EXPECT_TRUE(settings->on("quiet"));
  }
}

TEST(ResolveSettings, RefusesWrongValuesAndNamesTheSource) {
  const auto failure = [](const char* variable, const char* value) {
    return resolve_settings(kFlags, {}, environment({{variable, value}}), {}).status().message();
  };
  EXPECT_EQ(failure("PROA_LOOPS", "many"), "PROA_LOOPS: 'many' is not a number");
  EXPECT_EQ(failure("PROA_LOOPS", "65"), "PROA_LOOPS: '65' is not between 0 and 64");
  EXPECT_EQ(failure("PROA_LOOPS", "-3"), "PROA_LOOPS: '-3' is not between 0 and 64");
  EXPECT_EQ(failure("PROA_COUNT", "0"), "PROA_COUNT: '0' is not between 1 and 2147483647");
  EXPECT_EQ(failure("PROA_COUNT", "99999999999"),
            "PROA_COUNT: '99999999999' is not between 1 and 2147483647");
  EXPECT_EQ(failure("PROA_COUNT", "99999999999999999999"),
            "PROA_COUNT: '99999999999999999999' is not a number");
  EXPECT_EQ(failure("PROA_GRACE", "-1s"), "PROA_GRACE: '-1s' is negative");
  EXPECT_EQ(failure("PROA_PORT", "65536"), "PROA_PORT: '65536' is not a port between 0 and 65535");
  EXPECT_EQ(failure("PROA_GRACE", "30"), "PROA_GRACE: '30' is not a duration such as 30s or 1h30m");
  EXPECT_EQ(failure("PROA_QUIET", "maybe"), "PROA_QUIET: 'maybe' is neither true nor false");
  EXPECT_EQ(failure("PROA_FORMAT", "jsn"),
            "PROA_FORMAT: 'jsn' is not one of text, json; did you mean 'json'?");
}

}  // namespace
}  // namespace proa::cli
