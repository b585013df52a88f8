#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

// Writes a line "passed|failed|skipped <tab> TEST <tab> reason" for every test, as soon as it ends,
// to PROGRAM.tsv in the folder that PROA_TEST_RECORD names. tests/checks/summary reads them.
class Recorder : public testing::EmptyTestEventListener {
 public:
  explicit Recorder(const std::filesystem::path& file) : file_(file, std::ios::trunc) {}

  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    file_ << (result.Failed()    ? "failed"
              : result.Skipped() ? "skipped"
                                 : "passed")
          << '\t' << test.test_suite_name() << '.' << test.name() << '\t' << reason(result)
          << std::endl;
  }

 private:
  static std::string reason(const testing::TestResult& result) {
    for (int i = 0; i < result.total_part_count(); ++i) {
      const testing::TestPartResult& part = result.GetTestPartResult(i);
      if (!part.skipped()) continue;
      std::string message = part.message();
      std::replace(message.begin(), message.end(), '\n', ' ');
      return message;
    }
    return "";
  }

  std::ofstream file_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  if (const char* folder = std::getenv("PROA_TEST_RECORD")) {
    const auto file = std::filesystem::path(folder) / (program.filename().string() + ".tsv");
    testing::UnitTest::GetInstance()->listeners().Append(new Recorder(file));
  }
  // Where the compiler ran: the compile cache makes __FILE__ relative to it, and tests find their
  // data by __FILE__.
  std::filesystem::current_path(program.parent_path());
  return RUN_ALL_TESTS();
}
