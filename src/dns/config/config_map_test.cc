#include "dns/config/config_map.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/strings.h"
#include "json/yaml.h"

namespace proa::dns {
namespace {

using Data = std::map<std::string, std::string, std::less<>>;
using std::chrono::seconds;

constexpr std::string_view kDomain = "cluster.local";

TEST(ConfigMap, WithoutDataHasTheDefaults) {
  Problems problems;
  EXPECT_EQ(read_config_map({}, kDomain, problems), Settings());
  EXPECT_TRUE(problems.errors.empty());
  EXPECT_TRUE(problems.warnings.empty());
}

TEST(ConfigMap, SetsWhatItNames) {
  Problems problems;
  const Settings settings = read_config_map(
      {{"upstreams", "10.0.0.2, 10.0.0.3:5353\nhost"},
       {"stubDomains", R"({"Corp.example": ["10.1.0.1", "10.1.0.2"], "b.example": "10.2.0.1"})"},
       {"hosts", "# comment\n10.0.0.9 Printer printer.example # here\n"},
       {"rewrites", "\nname suffix .a.example .b.example\ncontinue name x y\n"},
       {"cache",
        "{maxTTL: 60, minTTL: 1s, maxNegativeTTL: 10s, failureTTL: 1s, size: 8Mi, serveStale: 0,"
        " prefetch: 0}"},
       {"ttl", "5\n"},
       {"pods", "verified"},
       {"logQueries", "true"}},
      kDomain, problems);
  EXPECT_EQ(join(problems.errors, "\n"), "");
  EXPECT_EQ(join(problems.warnings, "\n"), "");
  ASSERT_EQ(settings.forwards.size(), 3u);
  EXPECT_EQ(settings.forwards[0].zone, ".");
  EXPECT_TRUE(settings.forwards[0].of_host);
  EXPECT_EQ(settings.forwards[0].upstreams.size(), 2u);
  EXPECT_EQ(settings.forwards[1].zone, "corp.example");
  EXPECT_EQ(settings.forwards[1].upstreams.at(1).str(), "10.1.0.2:53");
  EXPECT_EQ(settings.forwards[2].upstreams.at(0).str(), "10.2.0.1:53");
  EXPECT_EQ(settings.hosts.entries.at(0).names,
            (std::vector<std::string>{"printer", "printer.example"}));
  ASSERT_EQ(settings.rewrites.size(), 2u);
  EXPECT_EQ(settings.rewrites[0].match, RewriteRule::Match::kSuffix);
  EXPECT_FALSE(settings.rewrites[1].last);
  EXPECT_EQ(settings.cache.max_ttl, seconds(60));
  EXPECT_EQ(settings.cache.min_ttl, seconds(1));
  EXPECT_EQ(settings.cache.max_negative_ttl, seconds(10));
  EXPECT_EQ(settings.cache.bytes, size_t{8} << 20);
  EXPECT_EQ(settings.cache.serve_stale, seconds(0));
  EXPECT_EQ(settings.cache.prefetch_amount, 0u);
  EXPECT_EQ(settings.cluster.ttl, 5u);
  EXPECT_EQ(settings.cluster.pods, PodRecords::kVerified);
  EXPECT_TRUE(settings.log_queries);
}

// A Corefile names the domain that the cluster was given.
TEST(ConfigMap, KnowsTheDomainOfTheCluster) {
  const Data data = {{"Corefile",
                      ". {\n kubernetes prod.example in-addr.arpa {\n ttl 7\n }\n"
                      " cache 30 {\n disable success prod.example\n }\n}"}};
  Problems problems;
  const Settings settings = read_config_map(data, "Prod.example.", problems);
  EXPECT_EQ(join(problems.errors, "\n"), "");
  EXPECT_EQ(join(problems.warnings, "\n"), "");
  EXPECT_EQ(settings.cluster.zones, (std::vector<std::string>{"prod.example", "in-addr.arpa"}));
  EXPECT_EQ(read_config_map({}, "prod.example", problems).cluster.zones.front(), "prod.example");
  // That of another cluster.
  static_cast<void>(read_config_map(data, kDomain, problems));
  EXPECT_NE(join(problems.warnings, "\n").find("only cluster.local, the domain of this cluster"),
            std::string::npos);
}

TEST(ConfigMap, CountsBeforeItsCorefile) {
  Problems problems;
  const Settings settings =
      read_config_map({{"Corefile", ". {\n forward . 1.1.1.1 {\n max_fails 7\n}\n chaos\n}"},
                       {"upstreams", "2.2.2.2"}},
                      kDomain, problems);
  ASSERT_EQ(settings.forwards.size(), 1u);
  EXPECT_EQ(settings.forwards[0].upstreams.at(0).str(), "2.2.2.2:53");
  EXPECT_EQ(settings.forwards[0].max_fails, 7u);
  EXPECT_FALSE(settings.cache.enabled);
  EXPECT_EQ(join(problems.warnings, "\n"), "Corefile line 5: plugin chaos is not supported");
}

// What the documentation shows can be used as it stands.
TEST(ConfigMap, HasNoProblemsInItsDocumentation) {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../../..";
  std::ifstream file(root / "docs/operations.md");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  constexpr std::string_view kBegin = "```yaml\n";
  int found = 0;
  for (size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
    const size_t begin = at + kBegin.size();
    const std::string yaml = text.substr(begin, text.find("```", begin) - begin);
    if (yaml.find("name: proa-dns") == std::string::npos) continue;
    SCOPED_TRACE(yaml);
    ++found;
    const auto document = json::parse_yaml(yaml);
    ASSERT_TRUE(document.ok());
    Data data;
    for (const json::Member& member : document->root().find("data")->members()) {
      data.emplace(std::string(member.key), std::string(member.value.as_string()));
    }
    Problems problems;
    static_cast<void>(read_config_map(data, kDomain, problems));
    EXPECT_EQ(join(problems.errors, "\n"), "");
    EXPECT_EQ(join(problems.warnings, "\n"), "");
  }
  EXPECT_EQ(found, 2);
}

TEST(ConfigMap, SaysWhatIsWrong) {
  const struct {
    const char* key;
    const char* text;
    const char* error;
  } cases[] = {
      {"upstreams", " ", "upstreams: at least one address is required, or \"host\""},
      {"upstreams", "dns.example", "upstreams: upstream \"dns.example\" is not an IP address"},
      {"upstreams",
       "1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.4 1.1.1.5 1.1.1.6 1.1.1.7 1.1.1.8 1.1.1.9 "
       "1.1.1.10 1.1.1.11 1.1.1.12 1.1.1.13 1.1.1.14 1.1.1.15 1.1.1.16",
       "upstreams: more than 15 upstreams"},
      {"stubDomains", "[a]", "stubDomains: must be a YAML mapping"},
      {"stubDomains", "a..b: 1.1.1.1", "stubDomains: \"a..b\" is not a domain name"},
      {"stubDomains", "a.b: []", "stubDomains: a.b has no upstreams"},
      {"hosts", "\nx y", "hosts line 2: \"x\" is not an IP address"},
      {"hosts", "1.1.1.1", "hosts line 1: 1.1.1.1 has no names"},
      {"rewrites", "name regex a b",
       "rewrites: line 1: rewrite: regular expressions are not supported; use suffix or prefix"},
      {"cache", "{maxTTL: x}", "cache: maxTTL must be a duration such as 30s, at most 24h"},
      {"cache", "{maxTTL: 48h}", "cache: maxTTL must be a duration such as 30s, at most 24h"},
      {"cache", "{size: 1}", "cache: size must be between 64Ki and 1024Mi"},
      {"cache", "{minTTL: 60s}", "cache: minTTL is greater than maxTTL"},
      {"cache", "{enabled: 3}", "cache: enabled must be true or false"},
      {"ttl", "-1", "ttl: must be a number of seconds between 0 and 3600"},
      {"pods", "maybe", "pods: must be disabled, insecure or verified"},
      {"logQueries", "maybe", "logQueries: must be true or false"},
      {"Corefile", "{", "Corefile line 1: the block has no zone"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.error);
    Problems problems;
    static_cast<void>(read_config_map(Data{{c.key, c.text}}, kDomain, problems));
    EXPECT_EQ(join(problems.errors, "\n"), c.error);
  }
  Problems problems;
  static_cast<void>(
      read_config_map(Data{{"upstream", "x"}, {"cache", "{ttl: 3}"}}, kDomain, problems));
  EXPECT_TRUE(problems.errors.empty());
  EXPECT_EQ(join(problems.warnings, "\n"),
            "cache: unknown field ttl\nunknown key upstream; the keys are Corefile, upstreams, "
            "stubDomains, "
            "hosts, rewrites, cache, ttl, pods, logQueries");
}

}  // namespace
}  // namespace proa::dns
