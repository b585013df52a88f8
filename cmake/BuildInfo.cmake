# Run by the build (cmake -P) to write build_info.cc, and only when its content changed.
# Takes SOURCE, OUTPUT, VERSION, KUBERNETES, COMPILER, PROCESSOR.
function(ask_git result)
  execute_process(COMMAND git -C "${SOURCE}" ${ARGN} OUTPUT_VARIABLE answer RESULT_VARIABLE code
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT code EQUAL 0)
    set(answer "")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

ask_git(commit rev-parse HEAD)
ask_git(commit_date show -s --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd HEAD)
ask_git(changes status --porcelain --untracked-files=no)
if(NOT commit)
  set(commit "unknown")
  set(tree_state "")
elseif(changes)
  set(tree_state "dirty")
else()
  set(tree_state "clean")
endif()

set(platform "linux/${PROCESSOR}")
string(REPLACE "x86_64" "amd64" platform "${platform}")
string(REPLACE "aarch64" "arm64" platform "${platform}")

set(text "#include \"cli/command_line/build_info.h\"

namespace proa::cli {

const BuildInfo& build_info() {
  static constexpr BuildInfo kInfo{
      .version = \"${VERSION}\",
      .kubernetes = \"${KUBERNETES}\",
      .git_version = \"v${KUBERNETES}+proa-${VERSION}\",
      .commit = \"${commit}\",
      .commit_date = \"${commit_date}\",
      .tree_state = \"${tree_state}\",
      .compiler = \"${COMPILER}\",
      .platform = \"${platform}\",
  };
  return kInfo;
}

}  // namespace proa::cli
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT text STREQUAL old)
  file(WRITE "${OUTPUT}" "${text}")
endif()
