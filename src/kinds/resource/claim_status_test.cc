#include "kinds/resource/claim_status.h"

#include <gtest/gtest.h>

#include "json/print.h"
#include "json/yaml.h"

namespace proa::kinds::devices {
namespace claim_status_test {

constexpr std::string_view kTwo =
    "{status: {allocation: {devices: {results: [{driver: d, pool: p, device: a}, "
    "{driver: d, pool: p, device: b, shareID: x}]}}}}";

std::string devices_after(std::string_view now, std::string_view before) {
  auto claim = json::parse_yaml(now);
  const auto old = json::parse_yaml(before);
  CHECK(claim.ok() && old.ok());
  forget_freed_devices(api::Edit(*claim), old->root());
  const View devices = View(claim->root())["status"]["devices"];
  return devices ? json::print(*devices.value()) : "none";
}

TEST(FreedDevices, AreForgotten) {
  EXPECT_EQ(devices_after("{status: {devices: [{driver: d, pool: p, device: a}]}}", kTwo), "none");
  EXPECT_EQ(devices_after("{status: {allocation: {devices: {results: [{driver: d, pool: p, device: "
                          "a}]}}, devices: [{driver: d, pool: p, device: a}, "
                          "{driver: d, pool: p, device: b, shareID: x}]}}",
                          kTwo),
            R"([{"driver":"d","pool":"p","device":"a"}])");
}

TEST(FreedDevices, AreOnlyThoseThatWereAllocated) {
  EXPECT_EQ(
      devices_after("{status: {devices: [{driver: d, pool: p, device: b, shareID: z}]}}", kTwo),
      R"([{"driver":"d","pool":"p","device":"b","shareID":"z"}])");
  EXPECT_EQ(devices_after("{}", kTwo), "none");
}

}  // namespace claim_status_test
}  // namespace proa::kinds::devices
