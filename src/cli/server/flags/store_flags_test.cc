#include "cli/server/flags/store_flags.h"

#include <gtest/gtest.h>

#include <map>

namespace proa::cli {
namespace store_flags_test {

Result<std::optional<store::EtcdOptions>> read(const std::map<std::string, std::string>& given) {
  Settings settings;
  for (const Flag& flag : store_flags()) settings.set(flag.name, flag.fallback);
  for (const auto& [name, value] : given) {
    settings.set(name, value);
    settings.mark_given(name);
  }
  SystemFiles files;
  return read_store_options(settings, files);
}

TEST(StoreFlags, WithoutAnyTheStoreIsInTheDataDirectory) {
  const auto options = read({});
  ASSERT_TRUE(options.ok());
  EXPECT_FALSE(options->has_value());
}

TEST(StoreFlags, NameEtcdByOneUrlOrUpstreamsFlags) {
  for (const auto& given : {std::map<std::string, std::string>{
                                {"store", "etcd://10.0.0.1:2379,etcd.example:2380/clusters/a/"}},
                            std::map<std::string, std::string>{
                                {"etcd-servers", "http://10.0.0.1:2379,http://etcd.example:2380"},
                                {"etcd-prefix", "/clusters/a"}}}) {
    const auto options = read(given);
    ASSERT_TRUE(options.ok()) << options.status().message();
    ASSERT_TRUE(options->has_value());
    const store::EtcdOptions& etcd = **options;
    ASSERT_EQ(etcd.endpoints.size(), 2u);
    EXPECT_EQ(etcd.endpoints[0].str(), "http://10.0.0.1:2379");
    EXPECT_EQ(etcd.endpoints[1].str(), "http://etcd.example:2380");
    EXPECT_EQ(etcd.prefix, "/clusters/a");
    EXPECT_EQ(etcd.compaction_interval, std::chrono::minutes(5));
  }
  EXPECT_EQ((*read({{"store", "etcd://a:1"}}))->prefix, "/registry");
}

TEST(StoreFlags, ErrorsNameTheFlag) {
  const std::pair<std::map<std::string, std::string>, std::string_view> cases[] = {
      {{{"store", "rocks://x"}},
       "--store must be etcd://HOST:PORT,HOST:PORT[/PREFIX], not rocks://x"},
      {{{"store", "etcd://"}}, "--store names no member of etcd"},
      {{{"store", "etcd://a:1"}, {"etcd-servers", "http://a:1"}},
       "--store and --etcd-servers exclude each other"},
      {{{"store", "etcd://a:1/x"}, {"etcd-prefix", "/y"}},
       "--store with a prefix and --etcd-prefix exclude each other"},
      {{{"etcd-servers", "ftp://a:1"}},
       "--etcd-servers must name members of etcd such as 10.0.0.1:2379, not ftp://a:1"},
      {{{"etcd-servers", "http://a:1,https://a:2"}},
       "--etcd-servers must name http or https URLs, not both"},
      {{{"store", "etcd://a:1"}, {"etcd-prefix", "/"}}, "--etcd-prefix must not be empty"},
  };
  for (const auto& [given, message] : cases) {
    SCOPED_TRACE(message);
    const auto options = read(given);
    ASSERT_FALSE(options.ok());
    EXPECT_EQ(options.status().message(), message);
  }
  EXPECT_TRUE(read({{"store", "etcd://a:1"}, {"etcd-cafile", "/nowhere"}})
                  .status()
                  .message()
                  .starts_with("--etcd-cafile"));
}

}  // namespace store_flags_test
}  // namespace proa::cli
