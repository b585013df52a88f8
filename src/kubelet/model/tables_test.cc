#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "kubelet/model/pod_object.h"

namespace proa::kubelet::objects {
namespace {

TEST(KubeletTables, AgreeWithTheSchema) {
  EXPECT_EQ(api::verify(Pod::table(), api::builtin_schema()), std::vector<std::string>{});
}

}  // namespace
}  // namespace proa::kubelet::objects
