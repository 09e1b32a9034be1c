# fish completion for holdfast. The command itself knows what may come next.
function __holdfast_complete
    set -l words (commandline -opc)
    for line in ($words[1] __complete $words[2..] "$(commandline -ct)" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'
