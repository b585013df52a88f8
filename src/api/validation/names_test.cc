#include "api/validation/names.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::api {
namespace names_test {

struct Accepts {
  NameCheck check;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

}  // namespace names_test

TEST(Names, AreAcceptedOrRefused) {
  const std::string long_label(63, 'a');
  const std::string long_subdomain =
      long_label + "." + long_label + "." + long_label + "." + std::string(61, 'a');
  const names_test::Accepts cases[] = {
      {check_dns1123_label,
       {"a", "1", "a-b", "1-2", long_label},
       {"", "A", "-a", "a-", "a.b", "a_b", "a b", long_label + "a", "a\n"}},
      {check_dns1123_subdomain,
       {"a", "a.b", "1.2.3", "a-b.c", long_subdomain},
       {"", ".", "a.", ".a", "a..b", "a.-b", "A.b", "*.a", long_subdomain + "a"}},
      {check_dns1123_subdomain_with_underscore, {"_a.b_c", "a"}, {"__a", "a_", "A"}},
      {check_dns1035_label, {"a", "a1", "a-1"}, {"", "1a", "-a", "a-", "A"}},
      {check_path_segment, {"a", "system:x", "A B", "...", ""}, {".", "..", "a/b", "a%b"}},
      {check_qualified_name,
       {"a", "A_b.c-1", "example.com/a", "1.2/3", long_subdomain + "/" + long_label},
       {"", "/", "/a", "a/", "a/b/c", "-a", "a-", "Example.com/a", long_label + "a",
        long_subdomain + "a/a", "a b"}},
      {check_label_value, {"", "a", "A-_.1", long_label}, {"-a", "a-", "a/b", long_label + "a"}},
      {check_domain_prefixed_path,
       {"acme.io/foo", "a/b/c", "a/%20"},
       {"", "a", "/a", "a/", "A/b", "a/b c", "a/?"}},
      {check_c_identifier, {"a", "_", "A1_"}, {"", "1", "a-b", "a.b"}},
      {check_environment_name, {"a", "1", "A-B", "..", " ", "a/b"}, {"", "a=b", "a\n", "\u00e9"}},
      {check_config_map_key, {"a", ".a", "A_b-c.d"}, {"", ".", "..", "...", "a/b", "a b"}},
      {check_port_name,
       {"http", "a1", "1-a", "abcdefghijklmno"},
       {"", "1", "-", "-a", "a-", "a--b", "A", "a_b", "abcdefghijklmnop"}},
      {check_ip,
       {"1.2.3.4", "::", "FE80::0001"},
       {"", "1.2.3", "01.2.3.4", "::ffff:1.2.3.4", "::00001", "1.2.3.4/8"}},
      {check_cidr,
       {"10.0.0.0/8", "1.2.3.4/32", "FE80::/10", "::/0"},
       {"", "10.0.0.0", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/08", "::ffff:1.2.3.0/120"}},
      {check_canonical_ip, {"1.2.3.4", "fe80::1"}, {"FE80::1", "fe80::0001", "x"}},
      {check_canonical_cidr, {"10.0.0.0/8", "fe80::/10"}, {"FE80::/10", "x"}},
      {check_fully_qualified_domain, {"a.b", "a.b.", "a.b.c"}, {"", "a", "a.", "a..b", "A.b"}},
      {check_wildcard_dns1123_subdomain, {"*.a", "*.a.b"}, {"*", "*.", "a.b", "*.*.a", "*a.b"}},
      {check_http_header_name, {"X-Header", "a"}, {"", "a b", "a_b"}},
      {check_percent, {"0%", "100%", "999%"}, {"", "%", "1", "-1%", "1.5%", "%1"}},
  };
  for (const auto& c : cases) {
    for (const std::string& name : c.good)
      EXPECT_EQ(join(c.check(name), "; "), "") << "[" << &c - cases << "] " << name;
    for (const std::string& name : c.bad)
      EXPECT_FALSE(c.check(name).empty()) << "[" << &c - cases << "] " << name;
  }
}

TEST(Names, AreRefusedInUpstreamsWords) {
  const std::string long_name(300, 'a');
  const struct {
    NameCheck check;
    std::string name;
    std::string expected;
  } cases[] = {
      {check_dns1123_label, "A",
       "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
       "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
       "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
      {check_dns1123_label, "a.b", "must not contain dots"},
      {check_dns1123_label, long_name, "must be no more than 63 characters"},
      {check_dns1123_subdomain, "A",
       "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
       "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
       R"(for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))"},
      {check_dns1123_subdomain, long_name, "must be no more than 253 characters"},
      {check_dns1035_label, "1",
       "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
       "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
       "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"},
      {check_path_segment, "a/b%", "may not contain '/'; may not contain '%'"},
      {check_path_segment, "..", "may not be '..'"},
      {check_qualified_name, "",
       "name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' "
       "or "
       "'.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  "
       "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
      {check_qualified_name, "/a", "prefix part must be non-empty"},
      {check_qualified_name, long_name + "/" + std::string(64, 'b'),
       "prefix part must be no more than 253 bytes; name part must be no more than 63 bytes"},
      {check_qualified_name, "a/b/c",
       "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start "
       "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
       "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
       "subdomain prefix and '/' (e.g. 'example.com/MyName')"},
      {check_label_value, "-" + std::string(63, 'a'),
       "must be no more than 63 bytes; a valid label must be an empty string or consist of "
       "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
       "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
       "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
      {check_domain_prefixed_path, "a", "must be a domain-prefixed path (such as \"acme.io/foo\")"},
      {check_domain_prefixed_path, "a/ ",
       R"(Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))"},
      {check_config_map_key, "..a", "must not start with '..'"},
      {check_port_name, "-1--1234567890123",
       "must be no more than 15 characters; must contain at least one letter (a-z); must not "
       "contain consecutive hyphens; must not begin or end with a hyphen"},
      {check_ip, "x", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"},
      {check_ip, "01.2.3.4", "must not have leading 0s"},
      {check_ip, "::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"},
      {check_cidr, "10.0.0.1/8", "must not have bits set beyond the prefix length"},
      {check_cidr, "x", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"},
      {check_canonical_ip, "FE80::1", "must be in canonical form (\"fe80::1\")"},
      {check_canonical_cidr, "FE80::/10", "must be in canonical form (\"fe80::/10\")"},
      {check_fully_qualified_domain, "a",
       "should be a domain with at least two segments separated by dots"},
      {check_percent, "1",
       "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
       "'93%', regex used for validation is '[0-9]+%')"},
  };
  for (const auto& c : cases) EXPECT_EQ(join(c.check(c.name), "; "), c.expected) << c.name;
}

TEST(Names, MayEndInADashBeforeTheyAreGenerated) {
  EXPECT_TRUE(check_generate_name(check_dns1123_label, "web-").empty());
  EXPECT_TRUE(check_generate_name(check_dns1123_subdomain, "web-").empty());
  EXPECT_FALSE(check_generate_name(check_dns1123_label, "-").empty());
  EXPECT_FALSE(check_generate_name(check_dns1123_label, "Web-").empty());
  EXPECT_TRUE(check_generate_name(check_path_segment, "..").empty());
  EXPECT_FALSE(check_generate_name(check_path_segment, "a/").empty());
}

TEST(Names, HaveNumbersInRanges) {
  EXPECT_TRUE(check_port_number(1).empty());
  EXPECT_TRUE(check_port_number(65535).empty());
  EXPECT_EQ(check_port_number(0), Problems{"must be between 1 and 65535, inclusive"});
}

}  // namespace proa::api
