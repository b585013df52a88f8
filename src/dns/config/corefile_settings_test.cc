#include "dns/config/corefile_settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::dns {
namespace {

using std::chrono::seconds;

struct Read {
  Settings settings = {};
  Problems problems = {};
};

Read read(std::string_view text) {
  Read result;
  read_corefile(text, result.settings, result.problems);
  return result;
}

std::string described(const Settings& settings) {
  std::string text;
  for (const ForwardZone& zone : settings.forwards) {
    text += zone.zone + "=";
    if (zone.of_host) text += "host ";
    for (const Upstream& upstream : zone.upstreams) text += upstream.str() + " ";
  }
  return std::string(trim(text));
}

constexpr std::string_view kKubeadm = R"(.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
)";

TEST(CorefileSettings, OfKubeadmAreTheDefaults) {
  const Read result = read(kKubeadm);
  EXPECT_TRUE(result.problems.errors.empty());
  EXPECT_EQ(join(result.problems.warnings, "\n"), "");
  EXPECT_EQ(result.settings, Settings());
}

TEST(CorefileSettings, ForwardByZone) {
  const struct {
    const char* name;
    const char* text;
    const char* forwards;
    const char* problems;
  } cases[] = {
      {"nothing named, nothing asked", ". {\n errors\n}", "", ""},
      {"stub domains in blocks of their own",
       ".:53 {\n forward . 1.1.1.1 [fd00::1]:54\n}\ncorp.example:53 {\n cache 30\n forward . "
       "10.1.0.1\n}",
       ".=1.1.1.1:53 [fd00::1]:54 corp.example=10.1.0.1:53",
       "Corefile line 4: answers for corp.example are not cached as those of the block of \".\": "
       "there is one cache"},
      {"stub domains in the same block",
       ". {\n forward corp.example. 10.1.0.1\n forward . /etc/resolv.conf\n}",
       "corp.example=10.1.0.1:53 .=host", ""},
      {"a file of a container", ". {\n forward . /etc/other.conf\n}", ".=host",
       "Corefile line 2: forward: /etc/other.conf is not read; the host's resolvers are used"},
      {"twice", ". {\n forward . 1.1.1.1\n forward . 2.2.2.2\n}", ".=1.1.1.1:53",
       "Corefile line 3: forward: zone . is forwarded twice"},
      {"in the clear what should be encrypted", ". {\n forward . tls://1.1.1.1\n}", ".=",
       "Corefile line 2: forward: upstream \"tls://1.1.1.1\" is encrypted, which is not supported; "
       "use a plain address"},
      {"another zone than that of the block", "a.b {\n forward c.d 1.1.1.1\n}", "",
       "Corefile line 2: forward: c.d is not in the zone a.b of the block"},
      {"no upstream", ". {\n forward .\n}", "",
       "Corefile line 2: forward: a zone and at least one upstream are required"},
      {"another port", ". {\n}\na:5353 {\n forward . 1.1.1.1\n}", "",
       "Corefile line 3: block a:5353 is ignored: only port 53 is served"},
      {"TLS", ". {\n}\ntls://a {\n forward . 1.1.1.1\n}", "",
       "Corefile line 3: block tls://a is ignored: only plain DNS is served"},
      {"a snippet", "(x) {\n log\n}\n. {\n import x\n}", "",
       "Corefile line 1: block (x) is ignored: snippets are not supported\n"
       "Corefile line 5: plugin import is not supported"},
      {"nothing for us", "a:54 {\n}", "",
       "the Corefile has no block for port 53\n"
       "Corefile line 1: block a:54 is ignored: only port 53 is served"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Read result = read(c.text);
    EXPECT_EQ(described(result.settings), c.forwards);
    std::vector<std::string> problems = result.problems.errors;
    problems.insert(problems.end(), result.problems.warnings.begin(),
                    result.problems.warnings.end());
    EXPECT_EQ(join(problems, "\n"), c.problems);
  }
}

TEST(CorefileSettings, OfOnePlugin) {
  const Read forward = read(
      ". {\n forward . 1.1.1.1 {\n  except a.b c.\n  force_tcp\n  policy sequential\n  max_fails "
      "3\n"
      "  health_check 2s\n  max_concurrent 0\n  expire 10s\n  next NXDOMAIN\n }\n}");
  EXPECT_EQ(join(forward.problems.warnings, "\n"),
            "Corefile line 10: forward: option next is not supported");
  const ForwardZone& zone = forward.settings.forwards.at(0);
  EXPECT_EQ(zone.except, (std::vector<std::string>{"a.b", "c"}));
  EXPECT_TRUE(zone.force_tcp);
  EXPECT_EQ(zone.policy, UpstreamPolicy::kSequential);
  EXPECT_EQ(zone.max_fails, 3u);
  EXPECT_EQ(zone.health_check, seconds(2));
  EXPECT_EQ(zone.max_concurrent, 100'000u);

  const Read cache = read(
      ". {\n cache 60 {\n  success 20000 40 2\n  denial 100 10\n  prefetch 5 2m 20%\n"
      "  serve_stale 10m verify\n  servfail 1s\n }\n}");
  EXPECT_TRUE(cache.problems.warnings.empty());
  const CacheSettings& settings = cache.settings.cache;
  EXPECT_TRUE(settings.enabled);
  EXPECT_EQ(settings.max_ttl, seconds(40));
  EXPECT_EQ(settings.min_ttl, seconds(2));
  EXPECT_EQ(settings.max_negative_ttl, seconds(10));
  EXPECT_EQ(settings.min_negative_ttl, seconds(5));
  EXPECT_EQ(settings.bytes, 8'000'000u);
  EXPECT_EQ(settings.prefetch_amount, 5u);
  EXPECT_EQ(settings.prefetch_period, seconds(120));
  EXPECT_EQ(settings.prefetch_percentage, 20u);
  EXPECT_EQ(settings.serve_stale, seconds(600));
  EXPECT_EQ(settings.failure_ttl, seconds(1));
  EXPECT_FALSE(read(". {\n}").settings.cache.enabled);
  EXPECT_EQ(read(". {\n cache\n}").settings.cache.max_ttl, seconds(3600));

  const Read names = read(
      ". {\n log\n hosts custom.hosts {\n  10.0.0.1 A.example b\n  fd00::1 c\n  ttl 60\n"
      "  no_reverse\n }\n rewrite name old.example new.example\n"
      " rewrite continue name suffix .a.example. .b.example. answer auto\n"
      " rewrite name regex (.*) x\n rewrite type ANY HINFO\n}");
  EXPECT_TRUE(names.settings.log_queries);
  EXPECT_FALSE(names.settings.rotate);
  const HostsSettings& hosts = names.settings.hosts;
  ASSERT_EQ(hosts.entries.size(), 2u);
  EXPECT_EQ(hosts.entries[0].names, (std::vector<std::string>{"a.example", "b"}));
  EXPECT_EQ(hosts.entries[1].address, *parse_ip("fd00::1"));
  EXPECT_EQ(hosts.ttl, 60u);
  EXPECT_FALSE(hosts.reverse);
  EXPECT_EQ(hosts.zones, std::vector<HostsZone>{{}});
  EXPECT_EQ(names.settings.rewrites,
            (std::vector<RewriteRule>{{.from = "old.example", .to = "new.example"},
                                      {.match = RewriteRule::Match::kSuffix,
                                       .from = ".a.example",
                                       .to = ".b.example",
                                       .last = false,
                                       .answer = true}}));
  EXPECT_EQ(names.problems.warnings.size(), 3u);
}

TEST(CorefileSettings, OneCacheForAllZones) {
  const struct {
    const char* root;
    const char* stub;
    const char* problem;
  } cases[] = {
      {"cache 30 {\n disable success cluster.local\n}", "forward . 1.1.1.1\ncache 30", ""},
      {"", "forward . 1.1.1.1", ""},
      {"cache 30", "hosts {\n}", ""},
      {"cache 30", "forward . 1.1.1.1\ncache 60", "Corefile line 4: answers for a are cached as"},
      {"cache 30", "forward . 1.1.1.1", "Corefile line 4: answers for a are cached as"},
      {"", "forward . 1.1.1.1\ncache 60", "Corefile line 4: answers for a are not cached as"},
      {"cache 30", "cache 0", "Corefile line 5: cache: the TTL must be positive"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.stub);
    std::string text = fmt::format(". {{\n{}\n}}\na {{\n{}\n}}", c.root, c.stub);
    const Read result = read(text);
    const std::string problem =
        join(result.problems.errors, "\n") + join(result.problems.warnings, "\n");
    EXPECT_TRUE(c.problem[0] == 0 ? problem.empty() : problem.starts_with(c.problem)) << problem;
  }
}

TEST(CorefileSettings, HostsByZone) {
  const struct {
    const char* text;
    const char* names;
    std::vector<HostsZone> zones;
    const char* warning;
  } cases[] = {
      {". {\n hosts {\n  1.1.1.1 a\n }\n}", "a", {{}}, ""},
      {". {\n hosts {\n  1.1.1.1 a\n  fallthrough\n }\n}", "a", {{.fallthrough = {"."}}}, ""},
      {". {\n hosts {\n  fallthrough a B.\n }\n}", "", {{.fallthrough = {"a", "b"}}}, ""},
      {". {\n hosts /etc/hosts b {\n  1.1.1.1 a.b\n }\n}",
       "a.b",
       {{.zone = "b"}, {.fallthrough = {"."}}},
       ""},
      {". {\n hosts {\n  1.1.1.1 a\n }\n}\nb {\n forward . 1.1.1.1\n}",
       "a",
       {{}, {.zone = "b", .fallthrough = {"."}}},
       ""},
      {"b {\n hosts {\n  1.1.1.1 a a.b\n }\n}",
       "a.b",
       {{.zone = "b"}},
       "Corefile line 3: hosts: a is not in the zone of the block"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Read result = read(c.text);
    std::vector<std::string> names;
    for (const HostEntry& entry : result.settings.hosts.entries) {
      names.insert(names.end(), entry.names.begin(), entry.names.end());
    }
    EXPECT_EQ(join(names, " "), c.names);
    EXPECT_EQ(result.settings.hosts.zones, c.zones);
    EXPECT_EQ(join(result.problems.errors, "\n"), "");
    EXPECT_EQ(join(result.problems.warnings, "\n"), c.warning);
  }
}

TEST(CorefileSettings, OfTheClusterKeepItsDomain) {
  const Read result =
      read(". {\n kubernetes other.local {\n  pods verified\n  namespaces a\n }\n}");
  EXPECT_EQ(
      result.settings.cluster,
      (ClusterSettings{
          .zones = {"cluster.local"}, .ttl = 5, .pods = PodRecords::kVerified, .fallthrough = {}}));
  EXPECT_EQ(join(result.problems.warnings, "\n"),
            "Corefile line 2: kubernetes: other.local is not served: only cluster.local, the "
            "domain of this cluster, is\n"
            "Corefile line 4: kubernetes: option namespaces is not supported");
}

TEST(CorefileSettings, OfTheClusterHaveReverseZones) {
  const struct {
    const char* text;
    const char* zones;
    const char* fallthrough;
    const char* problems;
  } cases[] = {
      {". {\n kubernetes cluster.local in-addr.arpa\n}", "cluster.local in-addr.arpa", "", ""},
      {"cluster.local 10.in-addr.arpa {\n kubernetes {\n  fallthrough\n }\n}",
       "cluster.local 10.in-addr.arpa", ".", ""},
      {". {\n kubernetes {\n  fallthrough ip6.arpa\n }\n}", "cluster.local", "ip6.arpa", ""},
      {". {\n kubernetes in-addr.arpa\n}", "cluster.local in-addr.arpa", "",
       "Corefile line 2: kubernetes: a zone is required that is not a reverse zone"},
      {". {\n kubernetes cluster.local 10.0.0.0/8\n}", "cluster.local", "",
       "Corefile line 2: kubernetes: 10.0.0.0/8 is ignored: zones are names, not ranges"},
      {". {\n kubernetes {\n  endpoint_pod_names\n }\n}", "cluster.local", "",
       "Corefile line 3: kubernetes: option endpoint_pod_names is not supported"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Read result = read(c.text);
    EXPECT_EQ(join(result.settings.cluster.zones, " "), c.zones);
    EXPECT_EQ(join(result.settings.cluster.fallthrough, " "), c.fallthrough);
    EXPECT_EQ(join(result.problems.errors, "\n") + join(result.problems.warnings, "\n"),
              c.problems);
  }
}

TEST(CorefileSettings, NameEveryError) {
  const Read result = read(
      ". {\n kubernetes a..b {\n  pods x\n  ttl 4000\n }\n cache x/y {\n  success\n  prefetch x\n"
      "  servfail 1h\n  disable x\n }\n forward . 1.1.1.1 {\n  policy x\n  max_fails x\n"
      "  health_check\n  except a..b\n  tls\n }\n hosts {\n  10.0.0.1\n  10.0.0.2 a..b\n  ttl x\n "
      "}\n"
      " rewrite name exact a..b c\n rewrite name suffix . a\n}");
  EXPECT_EQ(result.problems.errors.size(), 18u) << join(result.problems.errors, "\n");
  for (const std::string& error : result.problems.errors) {
    EXPECT_TRUE(error.starts_with("Corefile line ")) << error;
  }
}

// What CoreDNS does not start with is an error; what only this lacks is a warning.
TEST(CorefileSettings, FailWhereCoreDnsDoes) {
  const struct {
    const char* lines;  // of the block, from line 2 on
    const char* error;
    const char* warning;
  } cases[] = {
      {"froward . 1.2.3.4", "Corefile line 2: unknown plugin froward", ""},
      {"lameduck 5s", "Corefile line 2: unknown plugin lameduck", ""},
      {"template IN A {\n answer x\n}\nacl {\n}\nautopath\nimport x", "",
       "Corefile line 2: plugin template is not supported\n"
       "Corefile line 5: plugin acl is not supported\n"
       "Corefile line 7: plugin autopath is not supported\n"
       "Corefile line 8: plugin import is not supported"},
      {"health {\n lameduck five\n}",
       "Corefile line 3: health: lameduck needs a duration such as 5s", ""},
      {"health {\n lame 5s\n}", "Corefile line 3: health: unknown option lame", ""},
      {"reload soon", "Corefile line 2: reload: \"soon\" is not a duration", ""},
      {"loadbalance random", "Corefile line 2: loadbalance: unknown policy random", ""},
      {"loadbalance weighted /w {\n reload 3s\n}", "",
       "Corefile line 2: loadbalance: weights are not supported; addresses are in turn"},
      {"forward . 1.1.1.1 {\n polcy random\n}", "Corefile line 3: forward: unknown option polcy",
       ""},
      {"forward . 1.1.1.1 {\n failover SERVFAIL\n}", "",
       "Corefile line 3: forward: option failover is not supported"},
      {"forward . 1.1.1.1 {\n expire x\n}",
       "Corefile line 3: forward: expire needs a duration such as 5s", ""},
      {"kubernetes {\n ttls 30\n}", "Corefile line 3: kubernetes: unknown option ttls", ""},
      {"kubernetes {\n labels a=b\n noendpoints\n}", "",
       "Corefile line 3: kubernetes: option labels is not supported\n"
       "Corefile line 4: kubernetes: option noendpoints is not supported"},
      {"cache 0", "Corefile line 2: cache: the TTL must be positive", ""},
      {"cache a..b", "Corefile line 2: cache: \"a..b\" is neither a TTL nor a zone", ""},
      // A zone, also to CoreDNS.
      {"cache x", "", "Corefile line 2: cache: not only the names of x are cached"},
      {"cache 30 {\n sucess 1\n}", "Corefile line 3: cache: unknown option sucess", ""},
      {"cache 30 {\n serve_stale 1h later\n}",
       "Corefile line 3: cache: the mode of serve_stale must be immediate or verify", ""},
      {"cache 30 {\n keepttl\n}", "", "Corefile line 3: cache: option keepttl is not supported"},
      {"hosts {\n 10.0.0.256 a\n}", "Corefile line 3: hosts: \"10.0.0.256\" is not an IP address",
       ""},
      {"hosts {\n falthrough\n}", "Corefile line 3: hosts: unknown option falthrough", ""},
      {"hosts {\n fallthrough\n}\nhosts {\n fallthrough\n}",
       "Corefile line 5: hosts: a block has this plugin only once", ""},
      {"rewrite nam a b", "Corefile line 2: rewrite: \"nam\" is no type of a rule", ""},
      {"rewrite name sufix a b",
       "Corefile line 2: rewrite: \"sufix\" is not exact, prefix, suffix, substring or regex", ""},
      {"rewrite name exact a b c d",
       "Corefile line 2: rewrite: \"c\" behind FROM and TO is not a rule of answers", ""},
      {"rewrite name regex (.*) x", "",
       "Corefile line 2: rewrite: regular expressions are not supported; use suffix or prefix"},
      {"rewrite stop {\n name suffix .a .b\n answer auto\n}", "", ""},
      {"rewrite stop {\n name suffix .a .b\n answer name a b\n}", "",
       "Corefile line 2: rewrite: rules of answers are ignored: answers have the name of the "
       "question"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.lines);
    const Read result = read(fmt::format(". {{\n{}\n}}", c.lines));
    EXPECT_EQ(join(result.problems.errors, "\n"), c.error);
    EXPECT_EQ(join(result.problems.warnings, "\n"), c.warning);
  }
}

TEST(CorefileSettings, FailWithBlocksThatAreNone) {
  const struct {
    const char* text;
    const char* error;
    const char* warning;
  } cases[] = {
      {". {\n}\na..b {\n}", "Corefile line 3: block a..b: it is not a zone", ""},
      {"a b {\n froward\n}", "Corefile line 2: unknown plugin froward", ""},
      {". {\n}\na:dns {\n}", "Corefile line 3: block a:dns: its port is not a number", ""},
      {". {\n}\n10.0.0.0/8 {\n}", "",
       "Corefile line 3: block 10.0.0.0/8 is ignored: zones are names, not ranges"},
      {"import custom/*.server\n. {\n}", "", "Corefile line 1: import is not supported"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Read result = read(c.text);
    EXPECT_EQ(join(result.problems.errors, "\n"), c.error);
    EXPECT_EQ(join(result.problems.warnings, "\n"), c.warning);
  }
}

TEST(CorefileSettings, HaveALimitOfZones) {
  std::string keys;
  for (int i = 0; i < 1001; ++i) keys += fmt::format("z{} ", i);
  EXPECT_EQ(read(keys + "{\n}").problems.errors,
            std::vector<std::string>{"the Corefile has more than 1000 zones"});
}

}  // namespace
}  // namespace proa::dns
