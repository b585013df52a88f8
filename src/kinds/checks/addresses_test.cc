#include "kinds/checks/addresses.h"

#include <gtest/gtest.h>

namespace proa::kinds {
namespace addresses_test {

TEST(DualStack, IsOneOfEach) {
  EXPECT_TRUE(is_dual_stack("10.0.0.1", "fd00::1"));
  EXPECT_TRUE(is_dual_stack("fd00::1", "10.0.0.1"));
  EXPECT_FALSE(is_dual_stack("10.0.0.1", "10.0.0.2"));
  EXPECT_FALSE(is_dual_stack("10.0.0.1", "::ffff:10.0.0.2"));
  EXPECT_FALSE(is_dual_stack("fd00::1", "x"));
}

TEST(EndpointAddress, CanBeReached) {
  const struct {
    const char* address;
    const char* problem;  // null: none
  } kCases[] = {
      {"10.0.0.1", nullptr},
      {"fd00::1", nullptr},
      {"239.0.0.1", nullptr},
      {"x", "ip: Invalid value: \"x\": must be a valid IP address"},
      {"0.0.0.0", "ip: Invalid value: \"0.0.0.0\": may not be unspecified (0.0.0.0)"},
      {"::", "ip: Invalid value: \"::\": may not be unspecified (::)"},
      {"127.1.2.3",
       "ip: Invalid value: \"127.1.2.3\": may not be in the loopback range (127.0.0.0/8, ::1/128)"},
      {"::1",
       "ip: Invalid value: \"::1\": may not be in the loopback range (127.0.0.0/8, ::1/128)"},
      {"169.254.0.1",
       "ip: Invalid value: \"169.254.0.1\": may not be in the link-local range (169.254.0.0/16, "
       "fe80::/10)"},
      {"febf::1",
       "ip: Invalid value: \"febf::1\": may not be in the link-local range (169.254.0.0/16, "
       "fe80::/10)"},
      {"224.0.0.7",
       "ip: Invalid value: \"224.0.0.7\": may not be in the link-local multicast range "
       "(224.0.0.0/24, ff02::/10)"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.address);
    api::FieldErrors errors;
    validate_endpoint_address(c.address, api::Path("ip"), errors);
    const std::vector<std::string> wanted =
        c.problem == nullptr ? std::vector<std::string>() : std::vector<std::string>{c.problem};
    EXPECT_EQ(errors.texts(), wanted);
  }
}

TEST(AddressWarnings, NameTheNotationThatIsRight) {
  const struct {
    const char* address;
    const char* warning;
  } kAddresses[] = {
      {"10.0.0.1", nullptr},
      {"fd00::1", nullptr},
      {"nonsense", nullptr},
      {"010.0.0.1", "ip: non-standard IP address \"010.0.0.1\" is invalid: use \"10.0.0.1\""},
      {"::ffff:1.2.3.4",
       "ip: non-standard IP address \"::ffff:1.2.3.4\" is invalid: use \"1.2.3.4\""},
      {"FD00::1",
       "ip: IPv6 address \"FD00::1\" should be in RFC 5952 canonical format (\"fd00::1\")"},
  };
  for (const auto& c : kAddresses) {
    SCOPED_TRACE(c.address);
    Warnings warnings;
    warn_about_address(c.address, api::Path("ip"), warnings);
    EXPECT_EQ(warnings, c.warning == nullptr ? Warnings() : Warnings{c.warning});
  }
  const struct {
    const char* network;
    const char* warning;
  } kNetworks[] = {
      {"10.0.0.0/8", nullptr},
      {"10.0.0.1/8",
       "net: CIDR value \"10.0.0.1/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or "
       "\"10.0.0.1/32\"?)"},
      {"10.0.0.0/08",
       "net: non-standard CIDR value \"10.0.0.0/08\" is invalid: use \"10.0.0.0/8\""},
      {"FD00::/64",
       "net: IPv6 CIDR value \"FD00::/64\" should be in RFC 5952 canonical format (\"fd00::/64\")"},
  };
  for (const auto& c : kNetworks) {
    SCOPED_TRACE(c.network);
    Warnings warnings;
    warn_about_network(c.network, api::Path("net"), warnings);
    EXPECT_EQ(warnings, c.warning == nullptr ? Warnings() : Warnings{c.warning});
  }
}

}  // namespace addresses_test
}  // namespace proa::kinds
