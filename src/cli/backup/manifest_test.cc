#include "cli/backup/manifest.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

Manifest example() {
  return {.version = "0.1.0",
          .revision = 1234,
          .time = "2026-01-02T15:04:05Z",
          .files = {{"tls/authority.crt", 700, std::string(64, 'a')},
                    {"store/STORE", 150, std::string(64, '0')}}};
}

TEST(Manifest, ReadsWhatItPrints) {
  const auto read = parse_manifest(print_manifest(example()));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, example());
  EXPECT_EQ(read->bytes(), 850u);
}

TEST(Manifest, RefusesWhatCanNotBeTrue) {
  struct Case {
    const char* name;
    std::string from;
    std::string to;
    const char* says;
  };
  for (const Case& c : {
           Case{"no JSON", "{", "[", "manifest.json"},
           Case{"a format to come", "\"format\": 1", "\"format\": 2", "has format 2"},
           Case{"no format", "\"format\"", "\"fromat\"", "\"format\""},
           Case{"no revision", "1234", "\"1234\"", "\"revision\""},
           Case{"a revision below zero", "1234", "-1", "\"revision\""},
           Case{"no files", "\"files\"", "\"flies\"", "\"files\""},
           Case{"a size below zero", "700", "-700", "\"size\""},
           Case{"a size that is none", "700", "1e300", "\"size\""},
           Case{"no checksum", "aaaa", "", "checksum"},
           Case{"a file twice", "tls/authority.crt", "store/STORE", "twice"},
           Case{"no store", "store/STORE", "store/db/x", "no store"},
           Case{"a name that leads out", "tls/authority.crt", "tls/../../x",
                "not a file of a backup"},
       }) {
    SCOPED_TRACE(c.name);
    std::string text = print_manifest(example());
    ASSERT_NE(text.find(c.from), std::string::npos);
    text.replace(text.find(c.from), c.from.size(), c.to);
    const auto read = parse_manifest(text);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.status().message().find(c.says), std::string::npos) << read.status().message();
  }
}

TEST(BackupName, StaysBelowTheKnownFolders) {
  for (const char* name : {"admin.kubeconfig", "tls/authority.key", "tls/my key.pem", "store/STORE",
                           "store/db/MANIFEST-000004", "tls/old/a.crt", "tls/..a"}) {
    EXPECT_TRUE(is_backup_name(name)) << name;
  }
  using namespace std::string_view_literals;
  for (const std::string_view name : {""sv,
                                      "."sv,
                                      "/"sv,
                                      "store"sv,
                                      "tls/"sv,
                                      "tls//a"sv,
                                      "/tls/a"sv,
                                      "../tls/a"sv,
                                      "tls/.."sv,
                                      "tls/../a"sv,
                                      "tls/./a"sv,
                                      "store/db/../../../a"sv,
                                      "etc/passwd"sv,
                                      "manifest.json"sv,
                                      "control.sock"sv,
                                      "tls/a\0b"sv,
                                      "tls/a\nb"sv,
                                      "tls/a\\b"sv,
                                      "tls/\xff"sv,
                                      "admin.kubeconfig/a"sv,
                                      "TLS/a"sv}) {
    EXPECT_FALSE(is_backup_name(name)) << name;
  }
  EXPECT_FALSE(is_backup_name("tls/" + std::string(96, 'n')));
}

TEST(BackupName, SecretsAreTheirOwners) {
  EXPECT_EQ(mode_of("tls/authority.crt"), 0644u);
  EXPECT_EQ(mode_of("tls/authority.key"), 0600u);
  EXPECT_EQ(mode_of("admin.kubeconfig"), 0600u);
}

}  // namespace
}  // namespace proa::cli
