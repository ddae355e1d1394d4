# Tools that write nothing in the worktree, and those that write only the files that their input names.
case $client in
  claude)
    reads='Agent AskUserQuestion BashOutput CronList EnterPlanMode ExitPlanMode Glob Grep KillBash KillShell LS LSP'
    reads="$reads ListAgents ListMcpResourcesTool NotebookRead Read ReadMcpResourceTool ReportFindings ScheduleWakeup Skill"
    reads="$reads Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch"
    reads="$reads WebSearch"
    edits='Edit MultiEdit NotebookEdit Write' ;;
  codex)
    reads='clockcurr_time clocksleep collaborationlist_agents collaborationwait_agent get_goal grep_files list_dir'
    reads="$reads list_mcp_resource_templates list_mcp_resources read_file read_mcp_resource request_user_input"
    reads="$reads request_user_input_async tool_search update_plan view_image web_search"
    edits='apply_patch' ;;
  gemini)
    reads='activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs glob'
    reads="$reads google_web_search grep_search invoke_agent list_background_processes list_directory list_mcp_resources"
    reads="$reads read_background_output read_file read_many_files read_mcp_resource search_file_content update_topic"
    reads="$reads web_fetch write_todos"
    edits='replace write_file' ;;
  opencode)
    reads='codesearch glob grep invalid list lsp question read skill task todoread todowrite webfetch websearch'
    edits='apply_patch edit multiedit patch write' ;;
  *) reads='' edits='' ;;
esac
