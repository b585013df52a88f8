#include "kubelet/pod/environment/service_variables.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(ServiceVariables, NameEveryPort) {
  const Environment found = service_variables(
      {api::Object::make(
          R"({"metadata":{"name":"super-duper","namespace":"a"},"spec":{"clusterIP":"2001:db8::1","ports":[)"
          R"({"name":"u-d-p","port":8082,"protocol":"UDP"},{"name":"t-c-p","port":8083}]}})")},
      "a", true);
  const Environment expected = {
      {"SUPER_DUPER_SERVICE_HOST", "2001:db8::1"},
      {"SUPER_DUPER_SERVICE_PORT", "8082"},
      {"SUPER_DUPER_SERVICE_PORT_U_D_P", "8082"},
      {"SUPER_DUPER_SERVICE_PORT_T_C_P", "8083"},
      {"SUPER_DUPER_PORT", "udp://[2001:db8::1]:8082"},
      {"SUPER_DUPER_PORT_8082_UDP", "udp://[2001:db8::1]:8082"},
      {"SUPER_DUPER_PORT_8082_UDP_PROTO", "udp"},
      {"SUPER_DUPER_PORT_8082_UDP_PORT", "8082"},
      {"SUPER_DUPER_PORT_8082_UDP_ADDR", "2001:db8::1"},
      {"SUPER_DUPER_PORT_8083_TCP", "tcp://[2001:db8::1]:8083"},
      {"SUPER_DUPER_PORT_8083_TCP_PROTO", "tcp"},
      {"SUPER_DUPER_PORT_8083_TCP_PORT", "8083"},
      {"SUPER_DUPER_PORT_8083_TCP_ADDR", "2001:db8::1"},
  };
  EXPECT_EQ(found, expected);
}

TEST(ServiceVariables, LeaveOutWhatCannotBeReached) {
  EXPECT_TRUE(service_variables(
                  {api::Object::make("no JSON at all"),
                   api::Object::make(R"({"metadata":{"name":"x","namespace":"a"},"spec":{}})")},
                  "a", true)
                  .empty());
}

}  // namespace
}  // namespace proa::kubelet
