#include "cli/server/flags/debug_flags.h"

#include <gtest/gtest.h>

#include "cli/command_line/settings.h"
#include "testkit/memory_files.h"

namespace proa::cli {
namespace {

Result<std::optional<apiserver::tracing::Options>> read(const GivenValues& given, Files& files) {
  const auto settings =
      resolve_settings(debug_flags(), given, [](const char*) { return nullptr; }, {});
  return read_tracing(settings.value(), files);
}

TEST(DebugFlags, ProfilesAreServedAndNothingIsTraced) {
  const auto settings =
      resolve_settings(debug_flags(), {}, [](const char*) { return nullptr; }, {});
  EXPECT_TRUE(settings->on("profiling"));
  testkit::MemoryFiles files;
  EXPECT_FALSE(read({}, files).value().has_value());
}

TEST(DebugFlags, TracingIsConfiguredByAFile) {
  testkit::MemoryFiles files;
  files.content["/etc/tracing.yaml"] =
      "apiVersion: apiserver.config.k8s.io/v1\n"
      "kind: TracingConfiguration\n"
      "endpoint: collector:4317\n"
      "samplingRatePerMillion: 100\n";
  const auto tracing = read({{"tracing-config-file", {"/etc/tracing.yaml", "test"}}}, files);
  ASSERT_TRUE(tracing.ok()) << tracing.status().message();
  EXPECT_EQ((*tracing)->configuration.collector.host, "collector");
  EXPECT_EQ((*tracing)->configuration.sampled_per_million, 100u);
  EXPECT_TRUE((*tracing)->instance.starts_with("apiserver-"));
  const auto none = read({{"tracing-config-file", {"/none", "test"}}}, files);
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.status().message().starts_with("--tracing-config-file"));
}

}  // namespace
}  // namespace proa::cli
