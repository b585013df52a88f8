#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

// Runs generators of cases and the oracles that answer them.
namespace proa::oracle {

inline std::filesystem::path folder() { return std::filesystem::path(__FILE__).parent_path(); }

inline std::string setting(const char* name, std::string_view otherwise) {
  const char* value = std::getenv(name);
  return std::string(value == nullptr ? otherwise : value);
}

struct Finished {
  int code = 0;
  std::string output;
};

inline Finished run(const std::string& command) {
  Finished result;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {.code = 1, .output = {}};
  char buffer[4096];
  for (size_t size = 0; (size = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.output.append(buffer, size);
  }
  result.code = WEXITSTATUS(pclose(pipe));
  return result;
}

// The program of "cel-oracle"; empty where it is not built (make oracle builds it).
inline std::string find_program(const std::string& name) {
  const Finished built =
      run((folder() / "../clients/build-go").string() + " " + name + " 2>/dev/null");
  if (built.code != 0) return {};
  std::string program = built.output;
  while (program.ends_with('\n')) program.pop_back();
  return program;
}

// Calls `each` with every question that the generator (a command in this folder) makes up, and its
// answer by the program. Returns how many there were; -1 if a program failed.
inline int ask(const std::string& generator, const std::string& program,
               const std::function<void(const std::string&, const std::string&)>& each) {
  namespace fs = std::filesystem;
  const fs::path place = fs::temp_directory_path() / ("oracle_" + std::to_string(getpid()));
  fs::create_directory(place);
  const std::string questions = (place / "questions").string();
  const std::string answers = (place / "answers").string();
  const std::string command = (folder() / generator).string() + " > " + questions + " && " +
                              program + " < " + questions + " > " + answers;
  int count = -1;
  if (run(command).code == 0) {
    count = 0;
    std::ifstream asked(questions);
    std::ifstream answered(answers);
    std::string question;
    std::string answer;
    while (std::getline(asked, question) && std::getline(answered, answer)) {
      ++count;
      each(question, answer);
    }
  }
  fs::remove_all(place);
  return count;
}

}  // namespace proa::oracle
