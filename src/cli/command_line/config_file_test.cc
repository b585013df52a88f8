#include "cli/command_line/config_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace proa::cli {
namespace {

const Command kProgram{
    .name = "proa",
    .flags = {{.name = "config"}, {.name = "log-level"}},
    .commands = {{.name = "up",
                  .flags = {{.name = "data-dir"},
                            {.name = "port", .kind = ValueKind::kPort, .word = "PORT"},
                            {.name = "names", .word = "NAME,..."},
                            {.name = "quiet"}}}}};

std::string value(const Result<GivenValues>& values, std::string_view name) {
  if (!values.ok()) return values.status().message();
  const auto found = values->find(name);
  return found == values->end() ? "(not set)" : found->second.value;
}

TEST(ParseConfig, TakesEveryKindOfValue) {
  const auto values =
      parse_config("data-dir: /d\nport: 6443\nquiet: true\nnames: [a, b]\n", "c.yaml", kProgram);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ(value(values, "data-dir"), "/d");
  EXPECT_EQ(value(values, "port"), "6443");
  EXPECT_EQ(value(values, "quiet"), "true");
  EXPECT_EQ(value(values, "names"), "a,b");
  EXPECT_EQ(values->at("port").source, "c.yaml: port");
}

TEST(ParseConfig, TakesJson) {
  EXPECT_EQ(value(parse_config(R"({"log-level": "debug"})", "c.json", kProgram), "log-level"),
            "debug");
}

TEST(ParseConfig, AnEmptyFileSetsNothing) {
  for (const std::string_view empty : {"", "# nothing here\n", "{}"}) {
    const auto values = parse_config(empty, "c.yaml", kProgram);
    ASSERT_TRUE(values.ok()) << values.status().message();
    EXPECT_TRUE(values->empty());
  }
}

TEST(ParseConfig, RefusesWhatNoCommandKnows) {
  EXPECT_EQ(value(parse_config("log-levle: debug", "c.yaml", kProgram), ""),
            "c.yaml: unknown setting 'log-levle'; did you mean 'log-level'?");
  EXPECT_EQ(value(parse_config("config: other.yaml", "c.yaml", kProgram), ""),
            "c.yaml: unknown setting 'config'");
}

TEST(ParseConfig, RefusesAListWhereOneValueBelongs) {
  EXPECT_EQ(value(parse_config("port: [1]", "c.yaml", kProgram), ""),
            "c.yaml: port must be a string, a number, true or false; it takes one value");
  EXPECT_EQ(value(parse_config("names: [[a]]", "c.yaml", kProgram), ""),
            "c.yaml: names must be a string, a number, true or false, or a list of these");
}

TEST(ParseConfig, RefusesWhatIsNoSetting) {
  EXPECT_EQ(value(parse_config("port: {a: 1}", "c.yaml", kProgram), ""),
            "c.yaml: port must be a string, a number, true or false; it takes one value");
  EXPECT_EQ(value(parse_config("port:", "c.yaml", kProgram), ""),
            "c.yaml: port must be a string, a number, true or false; it takes one value");
  EXPECT_EQ(value(parse_config("- port", "c.yaml", kProgram), ""),
            "c.yaml: expected lines of the form 'flag: value'");
  EXPECT_FALSE(parse_config("port: [", "c.yaml", kProgram).ok());
}

class ReadConfigTest : public testing::Test {
 protected:
  ReadConfigTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "proa_config_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/config.yaml";
  }
  ~ReadConfigTest() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, std::string_view content) {
    ASSERT_TRUE(files_.make_dirs(path_ + ".d", 0755).ok());
    ASSERT_TRUE(files_.write_file_atomic(folder_ + "/" + name, content, 0644).ok());
  }

  SystemFiles files_;
  std::string folder_;
  std::string path_;
};

TEST_F(ReadConfigTest, DropInsComeAfterTheFileInOrder) {
  write("config.yaml", "port: 1\ndata-dir: /main\nnames: main\n");
  write("config.yaml.d/20-late.yaml", "port: 3\n");
  write("config.yaml.d/10-early.yaml", "port: 2\ndata-dir: /early\n");
  write("config.yaml.d/notes.txt", "not settings");
  write("config.yaml.d/.hidden.yaml", "port: 9\n");
  const auto values = read_config(files_, path_, true, kProgram);
  EXPECT_EQ(value(values, "port"), "3");
  EXPECT_EQ(value(values, "data-dir"), "/early");
  EXPECT_EQ(value(values, "names"), "main");
}

TEST_F(ReadConfigTest, AMissingFileMattersOnlyWhenAskedFor) {
  EXPECT_TRUE(read_config(files_, path_, false, kProgram).ok());
  EXPECT_TRUE(read_config(files_, path_, true, kProgram).is(Reason::kNotFound));
  write("config.yaml.d/10.yaml", "port: 2\n");
  EXPECT_EQ(value(read_config(files_, path_, false, kProgram), "port"), "2");
}

TEST_F(ReadConfigTest, ABrokenDropInIsNamed) {
  write("config.yaml.d/10.yaml", "prot: 2\n");
  const std::string message = value(read_config(files_, path_, false, kProgram), "");
  EXPECT_NE(message.find("10.yaml: unknown setting 'prot'; did you mean 'port'?"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace proa::cli
